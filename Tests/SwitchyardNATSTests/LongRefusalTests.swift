// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The texts of servers' refusals, of which libnats cuts the long ones.
@Suite("Texts of refusals of NATS servers", .serialized, .timeLimit(.minutes(5)))
struct LongRefusalTests {
    /// A name with which subjects are longer than libnats tells them.
    private let long = String(repeating: "x", count: 220)

    private func server(_ permissions: String) throws -> Server {
        try Server(
            configuration: """
                jetstream {}
                authorization { users: [
                    { user: few, password: "secret", permissions: { \(permissions) } }
                ] }
                """)
    }

    private func member(_ server: Server) throws -> Member {
        try Member(NATSOptions(servers: ["nats://few:secret@127.0.0.1:\(server.port)"]))
    }

    @Test(arguments: [
        (#"Permissions Violation for Publish to "a.b""#, false, "a.b"),
        (#"Permissions Violation for Subscription to "a.>""#, true, "a.>"),
        (#"permissions violation for subscription to "a" using queue "q""#, true, "a"),
        (
            #"Permissions Violation for Publish to "C:\\x.\"y\".\u00a0\t""#, false,
            "C:\\x.\"y\".\u{a0}\t"
        ),
    ])
    func `The text of a server's refusal is read`(
        text: String, isSubscription: Bool, subject: String
    ) {
        let refusal = ServerRefusal(text)
        #expect(refusal?.isSubscription == isSubscription && refusal?.subject.text == subject)
        #expect(refusal?.subject.isCut == false)
        #expect(ServerRefusal("Stale Connection") == nil)
    }

    @Test(arguments: [
        (#"Permissions Violation for Publish to "a.b"#, "a.b"),
        (#"Permissions Violation for Publish to "cut \u12"#, "cut "),
        (#"Permissions Violation for Publish to "cut \"#, "cut "),
        ("Permissions Violation for Publish to \"cut \u{fffd}", "cut "),
    ])
    func `A text without a closing quote has the beginning of a subject`(
        text: String, beginning: String
    ) throws {
        let subject = try #require(ServerRefusal(text)?.subject)
        #expect(subject.text == beginning && subject.isCut)
        #expect(subject.covers(beginning + "c") && subject.covers(beginning))
        #expect(!subject.covers("a") && subject.description == beginning + "…")
        #expect(Set([subject]).cover(beginning + "more") && !Set([subject]).cover("other"))
        let whole = RefusedSubject(text: beginning, isCut: false)
        #expect(!whole.covers(beginning + "c") && Set([whole]).cover(beginning))
    }

    @Test(
        .rule(40),
        arguments: [
            (#"publish: { deny: "$JS.API.CONSUMER.DURABLE.CREATE.>" }"#, "allow $JS.API.>"),
            (#"publish: { deny: "_switchyard_refused.>" }"#, "allow _switchyard_refused.default.>"),
            (#"publish: { deny: "$JS.ACK.>" }"#, "$JS.ACK."),
            (#"subscribe: { deny: "_SWY.durable.>" }"#, "_SWY.durable."),
        ])
    func `A durable observer with a long name is told which permission it needs`(
        permissions: String, needed: String
    ) async throws {
        let server = try server(permissions)
        let member = try member(server)
        let error = #expect(throws: NATSError.self) {
            try member.center.observe(durable: long, Notification.Name("a"), on: .poster) { _ in }
        }
        let text = try #require(error?.description)
        #expect(text.contains(needed) && text.contains("permissions"), "\(text)")
    }

    @Test(.rule(40)) func `An observer of a long name that may not subscribe is not ready`()
        async throws
    {
        let server = try server(#"subscribe: { deny: "switchyard.default.*.\#(long)" }"#)
        let member = try member(server)
        let token = member.numbers(long, in: Log<Int>())
        #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty == false)
        token.cancel()
        #expect(await until { await member.center.waitUntilReady(within: .seconds(60)).isEmpty })
    }
}
#endif
