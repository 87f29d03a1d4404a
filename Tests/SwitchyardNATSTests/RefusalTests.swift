// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Posts and subscriptions that a server refuses.
@Suite("Refusals of NATS servers", .serialized, .timeLimit(.minutes(5))) struct RefusalTests {
    @Test(.rule(40)) func `Posts refused by the server count as lost`() async throws {
        let server = try Server.limited(#"publish: { deny: "switchyard.default.-.a" }"#)
        let (poster, hearer) = (
            try Member(server.options("few")), try Member(server.options("all"))
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
        let server = try Server.limited(#"publish: { deny: "switchyard.default.-.a" }"#)
        let losses = Log<DistributedLoss>()
        try {
            let poster = try Member(server.options("few"))
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
        let server = try Server.limited(
            #"publish: { deny: "switchyard.default.-.a" }"#, jetStream: true)
        let member = try Member(server.options("all"))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", nil, on: .poster) {
            notes.add(number($0))
        }
        let poster = try Member(server.options("few"))
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

    @Test(.rule(40)) func `An observer that may not subscribe is not ready`() async throws {
        let server = try Server.limited(#"subscribe: { deny: "switchyard.default.*.a" }"#)
        let member = try Member(server.options("few"))
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

    @Test(.rule(40))
    func `A client without permission to hear acknowledgements does not wait for them`()
        async throws
    {
        let server = try Server.limited(#"subscribe: { deny: "_SWY.>" }"#, jetStream: true)
        let member = try Member(server.options("all"))
        try member.center.observe(durable: "d", Notification.Name("a"), on: .poster) { _ in }
            .cancel()
        let poster = try Member(server.options("few"))
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
}
#endif
