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

/// Notifications that durable handlers refuse, and notifications that can't be read.
@Suite("Refusals of durable observers", .serialized, .timeLimit(.minutes(5)))
struct DurableRefusalTests {
    private struct Refused: Error {}

    private let name = Notification.Name("a")

    private func member(_ server: Server, tries: Int) throws -> Member {
        var options = NATSOptions(servers: [server.url])
        options.durableTries = tries
        return try Member(options)
    }

    @Test(.rule(40)) func `A delivery to a process that ends is no refusal`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try member(server, tries: 3), try Member(server))
        try member.center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try poster.post("a", 1)
        let isFree = DispatchSemaphore(value: 0)
        // A server now and then delivers twice to a process that has just begun. The server counts
        // both deliveries, and the handler hears of one.
        var last = 0
        for _ in 1...5 {
            let notes = Log<DurableNotification>()
            let token = try member.center.observe(
                durable: "d", name, on: .dispatchQueue(DispatchQueue(label: "busy"))
            ) {
                notes.add($0)
                isFree.wait()
                throw Refused()
            }
            let count = await notes.arrival(of: 1).first?.deliveryCount ?? 0
            #expect(count > last)
            last = count
            // The observer ends while it handles the notification.
            token.cancel()
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
        let notes = Log<DurableNotification>()
        let token = try member.center.observe(durable: "d", name, on: .poster) {
            notes.add($0)
            if notes.entries.count < 3 { throw Refused() }
        }
        let counts = await notes.arrival(of: 3).map(\.deliveryCount)
        let first = counts.first ?? 0
        #expect(first > last)
        #expect(counts == [first, first + 1, first + 2])
        #expect(try poster.center.refused().isEmpty)
        for _ in 1...5 { isFree.signal() }
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Refusals are counted from one process to the next`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try member(server, tries: 3), try Member(server))
        let notes = Log<DurableNotification>()
        try member.center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try poster.post("a", 1)
        for round in 1...3 {
            let token = try member.center.observe(durable: "d", name, on: .poster) {
                notes.add($0)
                throw Refused()
            }
            await notes.arrival(of: round)
            // The copy is in place.
            #expect(
                await until {
                    (try? poster.count(in: "SWITCHYARD_REFUSED-default")) == 1
                        && (try? poster.count(in: "SWITCHYARD-default")) == 0
                })
            token.cancel()
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
        #expect(await until { (try? poster.center.refused().count) == 1 })
        #expect(notes.entries.count == 3)
    }

    @Test(.rule(40)) func `A pause goes on at the next process`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<ContinuousClock.Instant>()
        func observe() throws -> DurableObservation {
            try member.center.observe(durable: "d", name, on: .poster) { _ in notes.add(.now) }
        }
        var token = try observe()
        let (start, pause) = (ContinuousClock.now, Duration.seconds(6))
        let due = Int64((Date().timeIntervalSince1970 + 6) * 1_000)
        try poster.publish(
            "{}", to: DurableStream.waiting("default", "d"),
            [
                (RefusedHeaders.subject, "switchyard.default.-.a"), (RefusedHeaders.sequence, "7"),
                (RefusedHeaders.refusals, "9"), (RefusedHeaders.until, "\(due)"),
            ])
        for _ in 0..<2 {
            // The server has delivered it to this observer, which sent it back.
            #expect(
                await until {
                    let info = try? poster.ask("CONSUMER.INFO.SWITCHYARD_REFUSED-default.d")
                    return info?["num_ack_pending"] as? Int == 1
                })
            token.cancel()
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
            token = try observe()
        }
        let end = try #require(await notes.arrival(of: 1).first)
        #expect(end - start > pause - .milliseconds(200))
        withExtendedLifetime(token) {}
    }

    @Test func `The rest of a pause is known at each delivery`() {
        var pauses = DurablePauses()
        let key = DurableWindow.Key(stream: .refused, age: 0, sequence: 1, time: 1)
        let start = ContinuousClock.now
        func rest(_ known: Duration?, after: Duration) -> Duration? {
            pauses.rest(of: key, known: known, at: start + after)
        }
        #expect(rest(nil, after: .zero) == nil)
        #expect(rest(.seconds(8), after: .zero) == .seconds(8))
        // The clock of the host does not matter any more.
        #expect(rest(.seconds(100), after: .seconds(3)) == .seconds(5))
        #expect(rest(nil, after: .seconds(7)) == .seconds(1))
        #expect(pauses.earlyDeliveries(of: key) == 3)
        #expect(rest(.seconds(100), after: .seconds(8)) == nil)
        pauses.begin(key, until: start + .seconds(20))
        #expect(rest(nil, after: .seconds(10)) == .seconds(10))
        pauses.end(key)
        #expect(rest(nil, after: .seconds(10)) == nil)
    }

    @Test(.rule(40))
    func `A deleted stream of refused notifications is made again, and the gap is reported`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", name, on: .poster) { kept in
            notes.add(number(kept))
            if number(kept) == 1, kept.deliveryCount == 1 { throw Refused() }
        }
        try poster.ask("STREAM.DELETE.SWITCHYARD_REFUSED-default")
        #expect(
            await until {
                member.problems.entries.contains {
                    $0.contains("SWITCHYARD_REFUSED-default has gone")
                }
            })
        // The new stream is of use again.
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 2) == [1, 1])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `A refused notification too long for its stream ends as a loss, and holds up no other`()
        async throws
    {
        let server = try Server(configuration: "jetstream {}\nmax_payload: 10000\n")
        let (member, poster) = (try member(server, tries: 2), try Member(server))
        let (bad, good) = (Log<Int>(), Log<Int>())
        let token = try member.center.observe(durable: "d", nil, on: .poster) { kept in
            if kept.name.rawValue == "good" { return good.add(number(kept)) }
            bad.add(number(kept))
            throw Refused()
        }
        // The notification is as long as can be posted.
        var length = 10_000
        let count = 300
        while (try? post(poster, length)) == nil { length -= 1 }
        for _ in 1..<count { try post(poster, length) }
        try poster.post("good", 1)
        #expect(await good.arrival(of: 1) == [1])
        #expect(await until { member.lost == count })
        #expect(member.losses.entries.allSatisfy { "\($0)".contains("max_payload") })
        // The server removes a notification a moment after it was given up.
        #expect(await until { (try? poster.count(in: "SWITCHYARD-default")) == 0 })
        #expect(bad.entries.count > count)
        withExtendedLifetime(token) {}
    }

    private func post(_ poster: Member, _ length: Int) throws {
        let pad = String(repeating: "x", count: length)
        try poster.center.post(
            name: Notification.Name("bad"),
            payload: DistributedPayload(userInfo: ["n": 0, "pad": pad]))
    }

    @Test(
        .rule(40),
        arguments: [
            (name: "Nats-Msg-Id", value: "order-17"),
            (name: "Nats-Expected-Stream", value: "SWITCHYARD-default"),
        ])
    func `Headers for the server are not those of a refused notification's copies`(
        header: (name: String, value: String)
    ) async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try member(server, tries: 3), try Member(server))
        let notes = Log<DurableNotification>()
        let token = try member.center.observe(durable: "d", name, on: .poster) {
            notes.add($0)
            if notes.entries.count < 5 { throw Refused() }
        }
        try poster.publish(#"{"n":1}"#, to: "switchyard.default.-.a", [header])
        // Each refusal leaves a copy: two that wait, and one that is given up.
        #expect(await until { (try? poster.center.refused().count) == 1 })
        #expect(notes.entries.map(\.deliveryCount) == [1, 2, 3])
        let refused = try #require(try poster.center.refused().first)
        try poster.center.postAgain(refused)
        #expect(await notes.arrival(of: 5).map(\.deliveryCount) == [1, 2, 3, 4, 5])
        #expect(await until { (try? poster.count(in: "SWITCHYARD_REFUSED-default")) == 0 })
        #expect(!member.problems.entries.contains { $0.contains("holds up others") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40), arguments: [Int.min, -1, Int.max])
    func `Counts in the headers of a refused notification may be any numbers`(
        count: Int
    ) async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try member(server, tries: 3), try Member(server))
        let notes = Log<DurableNotification>()
        let token = try member.center.observe(durable: "d", name, on: .poster) {
            notes.add($0)
            if notes.entries.count == 1 { throw Refused() }
        }
        let headers = [
            (RefusedHeaders.subject, "switchyard.default.-.a"), (RefusedHeaders.sequence, "7"),
            (RefusedHeaders.tries, "\(count)"), (RefusedHeaders.refusals, "\(count)"),
            (RefusedHeaders.isAgain, "true"),
        ]
        try poster.publish("{}", to: DurableStream.waiting("default", "d"), headers)
        // It may have come again by now.
        #expect(await notes.arrival(of: 1).first?.sequence == 7)
        // The count of refusals is also read without the mark.
        try poster.publish(
            "{}", to: DurableStream.waiting("default", "d"), headers.dropLast())
        try poster.post("a", 1)
        await until { notes.entries.contains { number($0) == 1 } }
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `An unreadable notification in a stream is reported`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", nil, on: .poster) {
            notes.add(number($0))
        }
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        for subject in ["switchyard.default.-.%ZZ", DurableStream.waiting("default", "d")] {
            transport.jetStream.ask(subject, on: session) { handle, reply in
                RefusedHeaders.publish(
                    UnsafeRawBufferPointer(start: nil, count: 0), to: subject, reply: reply, [],
                    handle)
            } _: { _ in
            }
        }
        #expect(await until { member.lost == 2 })
        let texts = member.losses.entries.map { "\($0)" }
        #expect(texts.contains { $0.contains("switchyard.default.-.%ZZ") })
        #expect(texts.contains { $0.contains("_switchyard_refused.default.waiting.d") })
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        withExtendedLifetime(token) {}
    }
}
#endif
