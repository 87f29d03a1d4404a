// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The number of times that the server is killed.
private let kills = number(of: "SWITCHYARD_KILLS") ?? 0

private func number(of variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
}

/// Posts for durable observers whose server loses what it has stored. The server is killed at random
/// moments only if somebody asks for it, because each kill takes seconds:
/// `SWITCHYARD_KILLS=50 SWITCHYARD_SEED=7 swift test --traits NATS --filter DurableMeleeTests`.
@Suite("Melees of durable observers", .serialized, .timeLimit(.minutes(kills > 5 ? 60 : 10)))
struct DurableMeleeTests {
    /// Random numbers that a seed determines.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// A member that posts numbers one after the other.
    private final class Poster: Sendable {
        /// The first of its numbers.
        let first: Int
        let member: Member
        private let posted = Atomic<Int>(0)
        private let isDone = Atomic<Bool>(false)

        init(_ server: Server, first: Int) throws {
            (self.first, member) = (first, try Member(server))
        }

        var count: Int { posted.load(ordering: .sequentiallyConsistent) }

        var numbers: Range<Int> { first..<first + count }

        /// The number of posts that were reported as not kept.
        var lost: Int {
            member.losses.entries
                .filter { $0.direction == .outgoing }.reduce(0) { $0 + Int($1.count) }
        }

        func end() { isDone.store(true, ordering: .sequentiallyConsistent) }

        func post() throws {
            try member.post("a", first + count)
            posted.add(1, ordering: .sequentiallyConsistent)
        }

        /// Whether the server was reported to have lost some posts.
        var hasUnknownLoss: Bool {
            member.losses.entries.contains { $0.direction == .outgoing && !$0.isCountKnown }
        }

        func run() async throws {
            while !isDone.load(ordering: .sequentiallyConsistent) {
                for _ in 0..<5 { try post() }
                // Slow enough for the observers to keep up on any machine.
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    /// A durable observer, with the numbers that it has heard.
    private final class Hearer: Sendable {
        let name: String
        let member: Member
        let notes = Log<Int>()
        private let token = Mutex<DurableObservation?>(nil)

        init(_ server: Server, _ name: String) throws {
            (self.name, member) = (name, try Member(server))
            let token = try member.center.observe(
                durable: name, Notification.Name("a"), on: .poster
            ) { [notes] in notes.add(SwitchyardNATSTests.number($0)) }
            self.token.withLock { $0 = token }
        }

        /// Whether a loss of unknown size was reported to the observer.
        var hasGap: Bool { member.problems.entries.contains { $0.contains("made again") } }
    }

    @Test(.rule(40), .enabled(if: kills > 0))
    func `Whenever the server is killed, a durable observer hears all posts but those reported`()
        async throws
    {
        var dice = Dice(state: UInt64(truncatingIfNeeded: number(of: "SWITCHYARD_SEED") ?? 42))
        let server = try Server(["-js"])
        let hearers = try ["d", "e"].map { try Hearer(server, $0) }
        let posters = try (0..<2).map { try Poster(server, first: $0 * 10_000_000) }
        let members = hearers.map(\.member) + posters.map(\.member)
        for member in members {
            #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        let posting = posters.map { poster in Task.detached { try await poster.run() } }
        for _ in 0..<kills {
            let goal = posters[0].count + Int.random(in: 1...1_500, using: &dice)
            await until { posters[0].count >= goal }
            server.end()
            if Bool.random(using: &dice) {
                let goal = posters[0].count + Int.random(in: 1...300, using: &dice)
                await until { posters[0].count >= goal }
            }
            try server.start()
            if Bool.random(using: &dice) {
                for member in members {
                    #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
                }
            }
        }
        for poster in posters { poster.end() }
        for posting in posting { try await posting.value }
        for member in members {
            #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        for poster in posters {
            // The posts under way at the last break are reported here.
            _ = await poster.member.center.waitUntilFlushed(within: .seconds(60))
            try poster.post()
            #expect(await poster.member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
        for hearer in hearers {
            for poster in posters {
                // What the server has to deliver again comes later than the last number.
                await until(within: .seconds(60)) {
                    let heard = Set(hearer.notes.entries)
                    return heard.contains(poster.first + poster.count - 1)
                        && poster.numbers.count { !heard.contains($0) } <= poster.lost
                }
                var known: Set<Int> = []
                let firsts = hearer.notes.entries
                    .filter { poster.numbers.contains($0) && known.insert($0).inserted }
                let missing = poster.numbers.filter { !known.contains($0) }
                let isTold = hearer.hasGap || poster.hasUnknownLoss
                #expect(missing.count <= poster.lost || isTold, "\(missing.prefix(100))")
                // Numbers that the server gave twice come late.
                #expect(firsts == firsts.sorted() || isTold)
            }
            let heard = hearer.notes.entries
            #expect(
                heard.allSatisfy { number in
                    posters.contains { $0.numbers.contains(number) }
                })
        }
    }

    /// A server that is killed while its stream becomes empty may forget the stream's last numbers.
    @Test(.rule(40), arguments: [false, true])
    func `A durable observer hears what is posted after the server forgot the stream's numbers`(
        isAway: Bool
    ) async throws {
        let server = try Server(["-js"])
        var (hearer, poster) = (try Hearer(server, "d"), try Poster(server, first: 0))
        let gate = DispatchSemaphore(value: 0)
        let held = try hearer.member.center.observe(
            durable: "held", Notification.Name("a"), on: .poster
        ) { notification in
            // One notification is handled: servers (2.9.10) may ignore a consumer without any.
            if SwitchyardNATSTests.number(notification) == 0 { return }
            gate.wait()
            gate.signal()
        }
        #expect(await poster.member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        for _ in 0..<100 { try poster.post() }
        await hearer.notes.arrival(of: 100)
        #expect(await poster.member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        if isAway { hearer = try Hearer(server, "other") }
        // It writes down the observers' places at an orderly end.
        server.end(SIGTERM)
        let messages = "/jetstream/$G/streams/SWITCHYARD-default/msgs"
        try FileManager.default.removeItem(atPath: server.folder + messages)
        try FileManager.default.createDirectory(
            atPath: server.folder + messages, withIntermediateDirectories: true)
        try server.start()
        for member in [poster.member, hearer.member] {
            #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        for _ in 0..<50 { try poster.post() }
        if isAway {
            // The numbers that the observer's consumer remembers were passed over.
            let back = try Hearer(server, "d")
            #expect(await back.notes.arrival(of: 50) == Array(100..<150))
        } else {
            #expect(await hearer.notes.arrival(of: 150) == Array(0..<150))
        }
        gate.signal()
        withExtendedLifetime(held) {}
    }

    @Test(.rule(40)) func `A stream that ends before a poster's last message has lost it`() {
        var acks = StreamAcks()
        var reports = [acks.note(sequence: 7), acks.note(last: 7), acks.note(last: 5)]
        reports += [acks.note(last: 5), acks.takeUntoldRepeat(), acks.note(sequence: 6)]
        #expect(reports == [false, false, true, false, true, false])
    }

    /// A server that is killed may forget the place of a consumer, which then begins as it was
    /// made.
    @Test(.rule(40))
    func `A durable observer hears what waited for it when the server forgot its place`()
        async throws
    {
        let server = try Server(["-js"])
        let poster = try Poster(server, first: 0)
        var hearer: Hearer? = try Hearer(server, "d")
        #expect(await poster.member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        for _ in 0..<10 { try poster.post() }
        await hearer?.notes.arrival(of: 10)
        hearer = nil
        for _ in 0..<5 { try poster.post() }
        #expect(await poster.member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        server.end(SIGTERM)
        let state = "/jetstream/$G/streams/SWITCHYARD-default/obs/d/o.dat"
        try FileManager.default.removeItem(atPath: server.folder + state)
        try server.start()
        let next = try Hearer(server, "d")
        await until { next.notes.entries.contains(14) }
        #expect(next.notes.entries.suffix(5) == [10, 11, 12, 13, 14])
    }
}
#endif
