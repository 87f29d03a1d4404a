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

/// Observers for which a stream keeps posts.
@Suite("Durable observers", .serialized, .timeLimit(.minutes(5))) struct DurableTests {
    private struct Refused: Error {}

    @Test(.rule(40))
    func `A durable observer that returns hears what was posted while it was away`()
        async throws
    {
        let server = try Server(["-js"])
        let poster = try Member(server)
        let (before, after) = (Log<Int>(), Log<DurableNotification>())
        let first = try Member(server)
        let one = try first.center.observe(durable: "d", Notification.Name("a"), on: .poster) {
            before.add(number($0))
        }
        for number in 0..<100 { try poster.post("a", object: "x", number) }
        #expect(await before.arrival(of: 100) == Array(0..<100))
        // The server has taken note when the last acknowledgement is through.
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        one.cancel()
        // The flush returns when the server knows that the observer has gone.
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        for number in 100..<1_000 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let second = try Member(server)
        let two = try second.center.observe(durable: "d", Notification.Name("a"), on: .poster) {
            after.add($0)
        }
        let arrived = await after.arrival(of: 900)
        #expect(arrived.map { number($0) } == Array(100..<1_000))
        let sequences = arrived.map(\.sequence)
        #expect(sequences == sequences.sorted() && Set(sequences).count == 900)
        #expect(arrived.allSatisfy { $0.sender.id == poster.center.ownPeer.id })
        withExtendedLifetime(two) {}
    }

    @Test(.rule(40))
    func `A notification that a durable handler refuses comes again, with its attempt number`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        let notes = Log<DurableNotification>()
        let token = try member.center.observe(
            durable: "d", nil, of: "x", on: .poster
        ) { notification in
            notes.add(notification)
            if notification.deliveryCount < 3 { throw Refused() }
        }
        let poster = try Member(server)
        try poster.post("a", object: "y", 0)
        try poster.post("a", object: "x", 1)
        let arrived = await notes.arrival(of: 3)
        #expect(arrived.map(\.deliveryCount) == [1, 2, 3])
        #expect(Set(arrived.map(\.sequence)).count == 1)
        #expect(arrived.allSatisfy { number($0) == 1 })
        let problem = try #require(member.problems.entries.first { $0.contains("Refused") })
        #expect(problem.contains(#"durable observer "d""#) && problem.contains(#"about "x""#))
        #expect(problem.contains("DurableTests.swift:") && !problem.contains("DurableTurn"))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `An async durable handler gets one notification after the other`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        let (notes, inside) = (Log<Int>(), Log<Int>())
        let token = try member.center.observe(durable: "d", Notification.Name("a")) { kept in
            inside.add(1)
            await Task.yield()
            // No other call has begun meanwhile.
            #expect(inside.entries.count == notes.entries.count + 1)
            notes.add(number(kept))
            if kept.deliveryCount == 1, number(kept) == 7 { throw Refused() }
        }
        let poster = try Member(server)
        for number in 0..<300 { try poster.post("a", number) }
        let arrived = await notes.arrival(of: 301)
        #expect(arrived.filter { $0 == 7 }.count == 2)
        // The refused notification comes later; all others come in order.
        #expect(arrived.filter { $0 != 7 } == (0..<300).filter { $0 != 7 })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A long wait for a durable handler causes no second call`()
        async throws
    {
        let server = try Server(["-js"])
        var options = NATSOptions(servers: [server.url])
        options.durableHandlingTime = .seconds(1)
        let (member, notes) = (try Member(options), Log<Int>())
        let name = Notification.Name("a")
        let token = try member.center.observe(durable: "d", name) { kept in
            // The last notification waits four times as long as one may take.
            try await Task.sleep(for: .milliseconds(40))
            notes.add(number(kept))
        }
        let poster = try Member(server)
        for number in 0..<100 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 100) == Array(0..<100))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A durable observer survives the server's restart`() async throws {
        let server = try Server(["-js"])
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try hearer.center.observe(durable: "d", Notification.Name("a"), on: .poster) {
            notes.add(number($0))
        }
        for number in 0..<100 { try poster.post("a", number) }
        await notes.arrival(of: 100)
        // The stream grows old enough that the time of a restart can't be taken for its time of
        // creation.
        let old = ContinuousClock.now + .seconds(2)
        #expect(await until { ContinuousClock.now > old })
        for round in 1...2 {
            server.end(SIGTERM)
            try server.start()
            for member in [poster, hearer] {
                await until {
                    member.problems.entries.filter { $0.contains("to NATS again") }.count >= round
                }
            }
            let questions = Log<String>()
            let listening = try poster.listen(to: "$JS.API.CONSUMER.INFO.>") { questions.add($0) }
            for number in 100 * round..<100 * (round + 1) { try poster.post("a", number) }
            // The notifications come in order, and handled ones do not come again.
            let count = 100 * (round + 1)
            #expect(await notes.arrival(of: count) == Array(0..<count))
            // The observer has looked again whether it is subscribed: two questions each time.
            let asked = questions.entries.count
            #expect(await questions.arrival(of: asked + 6).count >= asked + 6)
            withExtendedLifetime(listening) {}
        }
        // No notification is missing.
        let problems = hearer.problems.entries
        #expect(!problems.contains { $0.contains("made again") }, "\(problems)")
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `An error about a durable observer says what is wrong`() async throws {
        let plain = try Member(try Server())
        let name = Notification.Name("a")
        #expect(throws: NATSError.self) {
            try plain.center.observe(durable: "d", name, on: .poster) { _ in }
        }
        let server = try Server(["-js"])
        let (a, b) = (try Member(server), try Member(server))
        let token = try a.center.observe(durable: "d", name, on: .poster) { _ in }
        #expect(throws: NATSError.self) {
            try b.center.observe(durable: "d", name, on: .poster) { _ in }
        }
        #expect(throws: NATSError.self) {
            try b.center.observe(durable: "a b", name, on: .poster) { _ in }
        }
        token.cancel()
        try b.center.forget(durable: "d")
        try b.center.forget(durable: "d")
        let other = try b.center.observe(durable: "d", Notification.Name("b"), on: .poster) { _ in }
        withExtendedLifetime(other) {}
    }
}
#endif
