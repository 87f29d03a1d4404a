// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Durable observers of an account without a permission that they need.
@Suite("Permissions of durable observers", .serialized, .timeLimit(.minutes(5)))
struct DurablePermissionTests {
    @Test(
        .rule(40),
        arguments: [
            (#"publish: { deny: "$JS.API.>" }"#, "$JS.API."),
            (#"publish: { deny: "$JS.ACK.>" }"#, "$JS.ACK."),
            (#"subscribe: { deny: "_SWY.durable.>" }"#, "_SWY.durable."),
            (
                #"publish: { deny: "$JS.API.CONSUMER.DURABLE.CREATE.>" }"#,
                "$JS.API.CONSUMER.DURABLE"
            ),
            (#"publish: { deny: "_switchyard_refused.>" }"#, "allow _switchyard_refused.default.>"),
            (#"publish: { deny: "_switchyard_refused.*.refused.>" }"#, "_switchyard_refused."),
        ])
    func `Adding a durable observer without a permission is an error that names the permission`(
        permissions: String, subject: String
    ) async throws {
        let server = try Server.limited(permissions, jetStream: true)
        let member = try Member(server.options("few"))
        let error = #expect(throws: NATSError.self) {
            try member.center.observe(durable: "d", Notification.Name("a"), on: .poster) { _ in }
        }
        let text = try #require(error?.description)
        #expect(text.contains(subject) && text.contains("permissions"))
    }

    /// The names of the durable observers for which a stream keeps something.
    private func durables(_ member: Member, _ stream: String) throws -> [String] {
        try member.ask("CONSUMER.NAMES.\(stream)")["consumers"] as? [String] ?? []
    }

    @Test(
        .rule(40),
        arguments: [
            #"publish: { deny: "$JS.ACK.>" }"#, #"subscribe: { deny: "_SWY.durable.>" }"#,
            #"publish: { deny: "_switchyard_refused.>" }"#,
            #"publish: { deny: "$JS.API.CONSUMER.DURABLE.CREATE.SWITCHYARD_REFUSED-default.>" }"#,
        ])
    func `A durable observer that can't be added keeps nothing, unless it was there before`(
        permissions: String
    ) async throws {
        let server = try Server.limited(permissions, jetStream: true)
        let (few, all) = (try Member(server.options("few")), try Member(server.options("all")))
        let name = Notification.Name("a")
        try all.center.observe(durable: "before", name, on: .poster) { _ in }.cancel()
        #expect(await all.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        for durable in ["before", "d"] {
            #expect(throws: NATSError.self) {
                try few.center.observe(durable: durable, name, on: .poster) { _ in }
            }
        }
        #expect(try durables(all, "SWITCHYARD-default") == ["before"])
        #expect(try durables(all, "SWITCHYARD_REFUSED-default") == ["before"])
        #expect(!few.problems.entries.contains { $0.contains("could not begin") })
    }
}
#endif
