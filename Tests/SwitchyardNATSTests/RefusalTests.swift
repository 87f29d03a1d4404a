// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Refusals of servers, and errors that keep credentials to themselves.
@Suite("Refusals of NATS servers", .serialized, .timeLimit(.minutes(5))) struct RefusalTests {
    /// A server with one user, whose permissions are limited.
    private func server(_ permissions: String, jetStream: Bool = false) throws -> Server {
        try Server(
            configuration: """
                \(jetStream ? "jetstream {}" : "")
                authorization { users: [
                    { user: all, password: "the-secret" },
                    { user: few, password: "the-secret", permissions: { \(permissions) } }
                ] }
                """)
    }

    private func options(_ server: Server, _ user: String) -> NATSOptions {
        NATSOptions(servers: ["nats://\(user):the-secret@127.0.0.1:\(server.port)"])
    }

    @Test(.rule(40)) func `Posts refused by the server count as lost`() async throws {
        let server = try server(#"publish: { deny: "switchyard.default.-.a" }"#)
        let (poster, hearer) = (
            try Member(options(server, "few")), try Member(options(server, "all"))
        )
        let notes = Log<Int>()
        let token = hearer.numbers(nil, in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        for number in 0..<100 { try poster.post("a", number) }
        try poster.post("b", 100)
        #expect(await notes.arrival(of: 1) == [100])
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await until { poster.lost == 100 })
        let reasons = Set(poster.losses.entries.map(\.description))
        #expect(reasons.allSatisfy { $0.contains("may not publish to switchyard.default.-.a") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Refused posts of a center that goes are counted`() async throws {
        let server = try server(#"publish: { deny: "switchyard.default.-.a" }"#)
        let losses = Log<DistributedLoss>()
        try {
            let poster = try Member(options(server, "few"))
            poster.center.onLoss { losses.add($0) }
            for number in 0..<5_000 { try poster.post("a", number) }
        }()
        #expect(await until { losses.entries.reduce(0) { $0 + $1.count } >= 5_000 })
        #expect(losses.entries.reduce(0) { $0 + $1.count } == 5_000)
    }

    @Test func `A refusal of one server says nothing about the next`() {
        var refusals = ServerRefusals()
        refusals.hidesPeers = true
        refusals.subscriptions = [RefusedSubject(text: "_switchyard.default.all", isCut: false)]
        refusals.beginSession()
        #expect(!refusals.hidesPeers && refusals.subscriptions.isEmpty)
    }

    @Test(.rule(40)) func `Posts that the server refuses are counted once where there is a stream`()
        async throws
    {
        let server = try server(#"publish: { deny: "switchyard.default.-.a" }"#, jetStream: true)
        let member = try Member(options(server, "all"))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", nil, on: .poster) {
            notes.add(number($0))
        }
        let poster = try Member(options(server, "few"))
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        #expect(await until { transport.knowsStream })
        for number in 0..<10 { try poster.post(number % 2 == 0 ? "a" : "b", number) }
        // The last posts have no acknowledgement behind them.
        for number in 10..<15 { try poster.post("a", number) }
        let start = ContinuousClock.now
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(await notes.arrival(of: 5) == [1, 3, 5, 7, 9])
        #expect(await until { poster.lost >= 10 })
        try poster.post("b", 15)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(poster.lost == 10)
        let reasons = poster.losses.entries.map(\.description)
        #expect(reasons.allSatisfy { $0.contains("may not publish to switchyard.default.-.a") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Held posts that a new server refuses are counted once`() async throws {
        let server = try Server(configuration: "jetstream {}\nmax_payload: 20000\n")
        let (member, poster) = (try Member(server), try Member(server))
        try member.center.observe(durable: "d", nil, on: .poster) { _ in }.cancel()
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        #expect(await until { transport.knowsStream })
        server.end()
        await until { poster.problems.entries.contains { $0.contains("broke") } }
        let pad = String(repeating: "x", count: 10_000)
        for number in 0..<3 {
            try poster.center.post(
                name: Notification.Name("a"),
                payload: DistributedPayload(userInfo: ["n": number, "pad": pad]))
            try poster.post("a", number)
        }
        try server.configure("jetstream {}\nmax_payload: 5000\n")
        try server.start()
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await until { poster.lost >= 3 })
        try poster.post("a", 3)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(poster.lost == 3)
        #expect(poster.losses.entries.allSatisfy { "\($0)".contains("max_payload") })
    }

    @Test func `Refused posts are no gap in a stream's acknowledgements`() {
        var acks = StreamAcks()
        acks.begin(from: 1)
        // Five posts were sent, and the second and third refused.
        var isLoss = acks.receive(1, nil)
        acks.refuse(2, upTo: 5)
        isLoss = acks.receive(4, nil) || isLoss
        #expect(!isLoss && acks.unreported == 0 && acks.refused == 0)
        // One refusal is handled late, and one is of no post that was sent.
        isLoss = acks.receive(6, nil)
        #expect(isLoss && acks.unreported == 1)
        acks.refuse(1, upTo: 6)
        var isKept = acks.settleFlush()
        #expect(isKept && acks.unreported == 0)
        acks.refuse(1, upTo: 6)
        #expect(acks.refused == 0)
        // A refusal of the stream itself counts.
        isLoss = acks.receive(7, "it is full")
        #expect(isLoss && acks.unreported == 1)
        acks.refuse(1, upTo: 8)
        acks.giveUp(before: 10, "the connection broke")
        isKept = acks.settleFlush()
        let unreported = acks.takeUnreported()
        #expect(!isKept && unreported?.count == 2)
    }

    @Test func `A refusal that overtakes acknowledgements says nothing of those before it`() {
        var acks = StreamAcks()
        acks.begin(from: 1)
        // A stream with several servers refuses at once, and acknowledges when all of them have a
        // post.
        var isLoss = acks.receive(4, "it is too long")
        #expect(isLoss && acks.unreported == 1 && acks.next == 1)
        isLoss = acks.receive(4, "it is too long")
        #expect(!isLoss && acks.unreported == 1)
        for number: UInt64 in [1, 2, 3] { _ = acks.receive(number, nil) }
        #expect(acks.unreported == 1 && acks.next == 5)
        // The sixth had no answer, and the seventh was refused early: each counts once.
        _ = acks.receive(7, "it is too long")
        _ = acks.receive(5, nil)
        _ = acks.receive(9, nil)
        let unreported = acks.takeUnreported()
        #expect(unreported?.count == 4 && acks.next == 10)
        _ = acks.receive(12, "it is too long")
        #expect(acks.answered == 1)
        acks.giveUp(before: 12, "the connection broke")
        #expect(acks.unreported == 3 && acks.next == 13 && acks.answered == 0)
    }

    @Test func `Two answers with one number, which anybody may send, count once`() {
        var acks = StreamAcks()
        acks.begin(from: 5)
        _ = acks.receive(7, "forged")
        _ = acks.receive(7, nil)
        #expect(acks.next == 8 && acks.answered == 0)
        let isLoss = acks.receive(8, nil)
        #expect(!isLoss && acks.next == 9)
        // The forged refusal, and the two that had no answer.
        #expect(acks.unreported == 3)
        _ = acks.receive(11, "forged")
        acks.begin(from: 11)
        #expect(acks.next == 12 && acks.answered == 0)
    }

    @Test(.rule(40)) func `An observer that may not subscribe is not ready`() async throws {
        let server = try server(#"subscribe: { deny: "switchyard.default.*.a" }"#)
        let member = try Member(options(server, "few"))
        let notes = Log<Int>()
        let fine = member.numbers("b", in: notes)
        #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        let refused = member.numbers("a", in: notes)
        #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty == false)
        #expect(
            await until {
                member.problems.entries.contains {
                    $0.contains("may not subscribe to switchyard.default.*.a")
                }
            })
        // A name that is no longer observed is not missing.
        refused.cancel()
        #expect(await until { await member.center.waitUntilReady(within: .seconds(60)).isEmpty })
        withExtendedLifetime(fine) {}
    }

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
        let server = try server(permissions, jetStream: true)
        let member = try Member(options(server, "few"))
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
        let server = try server(permissions, jetStream: true)
        let (few, all) = (try Member(options(server, "few")), try Member(options(server, "all")))
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

    @Test(.rule(40))
    func `A client without permission to hear acknowledgements does not wait for them`()
        async throws
    {
        let server = try server(#"subscribe: { deny: "_SWY.>" }"#, jetStream: true)
        let member = try Member(options(server, "all"))
        try member.center.observe(durable: "d", Notification.Name("a"), on: .poster) { _ in }
            .cancel()
        let poster = try Member(options(server, "few"))
        try poster.post("a", 1)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        #expect(await until { !transport.knowsStream })
        #expect(poster.lost == 0)
    }

    @Test(.rule(40))
    func `A refusal counts even if nobody waits for acknowledgements yet`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        try member.center.observe(durable: "d", Notification.Name("a"), on: .poster) { _ in }
            .cancel()
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        let words = #"Permissions Violation for Subscription to "\#(transport.ackPattern)""#
        transport.didRefuse(try #require(ServerRefusal(words)))
        transport.subscribeToAcks(session)
        #expect(!transport.knowsStream)
        try member.post("a", 1)
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    @Test(.rule(40), arguments: ["org/example", "a\\b", "", String(repeating: "long", count: 100)])
    func `A domain name that no stream can have is an error at once`(domain: String) throws {
        // The error comes before a server is asked.
        let options = NATSOptions(servers: ["nats://127.0.0.1:1"], domain: domain)
        let error = #expect(throws: NATSError.self) { try Member(options) }
        #expect(error?.description.contains("domain") == true)
        #expect(error?.description.contains("connect") == false)
    }

    @Test(.rule(40)) func `No password is in an error, a problem or the name of a server`()
        async throws
    {
        let server = try Server()
        let member = try Member(options(server, "user"))
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        #expect(transport.server.processName == "nats://127.0.0.1:\(server.port)")
        server.end()
        #expect(await until { member.problems.entries.contains { $0.contains("broke") } })
        #expect(member.problems.entries.allSatisfy { !$0.contains("the-secret") })
        let missing = await member.center.waitUntilFlushed(within: .milliseconds(10))
        #expect(missing.map(\.processName) == ["nats://127.0.0.1:\(server.port)"])
        let error = #expect(throws: NATSError.self) { try Member(options(server, "user")) }
        #expect(error?.description.contains("the-secret") == false)
        for url in [
            "nats://u:the,secret@127.0.0.1:1", "nats://u:se:cret@h:x", "nats://se,cret@h:1",
        ] {
            var options = NATSOptions()
            options.setServers(url)
            let error = #expect(throws: NATSError.self) { try Member(options) }
            #expect(error?.description.contains("secret") == false)
            #expect(error?.description.contains("cret") == false)
            #expect(error?.description.contains("'the'") == false)
        }
    }

    @Test(arguments: [
        ("nats://a:b@h:1", "nats://h:1"), ("nats://token@h", "nats://h"), ("h:1", "nats://h:1"),
        ("nats://a:p@ss@h:1,tls://x", "nats://h:1, tls://x"), ("nats://[::1]", "nats://[::1]"),
        ("nats://a:b,c@h:1", "nats://a, nats://h:1"), ("nats://[::1]:7", "nats://[::1]:7"),
        ("nats://a:12,c@h:1", "nats://a, nats://h:1"), ("a:b@h:1,i:2", "nats://h:1, nats://i:2"),
        ("nats://a:12,b,c@h:1", "nats://a, nats://(hidden), nats://h:1"),
    ])
    func `Servers are named by where they are`(list: String, names: String) {
        #expect(NATSOptions.names(ofServers: list) == names)
    }
}
#endif
