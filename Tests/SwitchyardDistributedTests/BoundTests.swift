// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import SwitchyardDistributed
import TestSupport
import Testing

/// The losses of a process that does not read, and their reports.
@Suite("Bounds between processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedBoundTests {
    /// The number of posts: many times as much as connections take before they are full.
    private static let volume = 20_000

    /// Posts from a process with little room for each peer to two receivers: one hears nothing for
    /// a time, the other hears all along.
    private static func overflow(
        _ depth: Depth, _ overflow: DistributedLimits.Overflow
    ) async throws {
        try await inWorld(depth) { world in
            let limits = DistributedLimits(queueBytes: 64 * 1024, overflow: overflow)
            let poster = try await world.member("poster", limits: limits)
            let slow = try await world.member("slow")
            let fast = try await world.member("fast")
            try await slow.observe("it", Observing("A", onlyCounts: true, isGated: true))
            try await fast.observe("it", Observing("A", onlyCounts: true))
            _ = try await all([slow, fast]) { try await $0.ready() }
            try await slow.run(.gate(isOpen: false))

            // The poster waits for the fast receiver now and then, which would lose notifications
            // otherwise.
            for first in stride(from: 1, to: volume, by: 100) {
                try await poster.post(Posts("A", count: 100, first: first, size: 200))
                try await fast.run(.tally("it", atLeast: first + 99))
            }
            try await slow.run(.gate(isOpen: true))
            // The notification behind the gap shows how long the gap is.
            try await poster.run(.flush(seconds: 60))
            try await poster.post(Posts("A", first: volume + 1))
            let outgoing = try await poster.run(.losses(incoming: 0, outgoing: 1)).losses
            let lost = outgoing.reduce(0) { $0 + Int($1.count) }
            let tally = try await slow.run(.tally("it", atLeast: volume + 1 - lost)).tallies[0]
            let incoming = try await slow.run(.losses(incoming: UInt64(lost), outgoing: 0)).losses

            #expect(outgoing.allSatisfy { !$0.isIncoming })
            #expect(incoming.allSatisfy { $0.isIncoming })
            #expect(incoming.reduce(0) { $0 + Int($1.count) } == lost)
            #expect(tally.count == volume + 1 - lost)
            #expect(tally.missing == lost && tally.disorder == 0)
            #expect(tally.first == 1 && tally.last == volume + 1)

            // The fast receiver loses nothing.
            let whole = try await fast.run(.tally("it", atLeast: volume + 1)).tallies[0]
            #expect(whole.count == volume + 1 && whole.missing == 0)
            #expect(try await fast.run(.losses(incoming: 0, outgoing: 0)).losses.isEmpty)

            // Both ends count the same.
            let (posterID, slowID) = (try await poster.id, try await slow.id)
            let sent = try await poster.run(.peers).peers.first { $0.id == slowID }
            let received = try await slow.run(.peers).peers.first { $0.id == posterID }
            #expect(sent?.lost == UInt64(lost))
            #expect(received?.missed == UInt64(lost))
            #expect(received?.received == UInt64(volume + 1 - lost))
            let problems = try await poster.run(.problems(containing: "does not read")).texts
            #expect(problems.allSatisfy { $0.hasPrefix("transport") })
        }
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `Past its bound the slow receiver alone loses the newest, and both sides are told`(
        depth: Depth
    ) async throws {
        try await Self.overflow(depth, .dropNewest)
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `Past its bound a receiver loses the oldest, if that is preferred`(
        depth: Depth
    ) async throws {
        try await Self.overflow(depth, .dropOldest)
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `Past its bound a receiver loses all but the latest, if that is preferred`(
        depth: Depth
    ) async throws {
        try await Self.overflow(depth, .keepLatest)
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `A post reports how many peers lose it`(depth: Depth) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member(
                "poster", limits: DistributedLimits(queueBytes: 10_000))
            let receiver = try await world.member("receiver")
            try await receiver.observe("it", Observing("A", onlyCounts: true, isGated: true))
            try await receiver.ready()
            try await receiver.run(.gate(isOpen: false))
            let answer = try await poster.post(Posts("A", count: 5_000, size: 1_000))
            #expect(answer.dropped > 0)
            #expect(answer.dropped + Int(answer.number) == 5_000)
            try await receiver.run(.gate(isOpen: true))
            let lost = try await poster.run(.losses(incoming: 0, outgoing: UInt64(answer.dropped)))
            #expect(lost.losses.reduce(0) { $0 + Int($1.count) } == answer.dropped)
        }
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `A notification longer than the bound is sent where nothing waits`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member(
                "poster", limits: DistributedLimits(queueBytes: 1_000))
            let receiver = try await world.member("receiver")
            try await receiver.observe("it", Observing("A"))
            try await receiver.ready()
            let size = 16 * 1024 * 1024
            for number in 1...3 {
                let answer = try await poster.post(Posts("A", first: number, size: size))
                #expect(answer.dropped == 0)
                #expect(try await receiver.numbers("it", number).count == number)
            }
        }
    }
}
