// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import Synchronization
import TestSupport
import Testing

/// The number of processes that fight.
private let meleeSize = StormTests.number(of: "SWITCHYARD_FIGHTERS") ?? 5

/// Processes that all post and hear, and that are killed or stopped at any moment. `scripts/soak`
/// runs this with more processes, for longer, and with another seed each time:
/// `SWITCHYARD_FIGHTERS` is the number of processes, and `SWITCHYARD_SEED` the seed of the random
/// numbers.
@Suite("Melees of processes", .serialized, .timeLimit(.minutes(meleeSize > 5 ? 120 : 10)))
struct MeleeTests {
    /// A process that posts and hears.
    private struct Fighter: Sendable {
        let member: Member
        let id: String
        /// The number of posts of each other process when both knew of each other.
        var known: [String: Int] = [:]
        /// The other processes that were stopped when this one came. They did not know of it until
        /// they went on, so their earlier posts are not for it.
        var strangers: Set<String> = []
        /// The turn in which the stopped process goes on.
        var wakes: Int?
    }

    private static let batch = 20
    private static let seed = StormTests.number(of: "SWITCHYARD_SEED") ?? 42

    /// Starts a process that posts all the time and hears all others.
    private static func enlist(_ world: World, _ others: [Fighter]) async throws -> Fighter {
        let member = try await world.member("fighter")
        var fighter = Fighter(member: member, id: try await member.id)
        try await member.observe("all", Observing("Melee", onlyCounts: true))
        // Stopped processes don't know of the new one, which does not wait for them.
        fighter.strangers = Set(others.filter { $0.wakes != nil }.map(\.id))
        let isKnown = try await until(within: .seconds(120)) {
            let late = try await member.run(.ready(seconds: 0.2)).peers
            return late.allSatisfy { fighter.strangers.contains($0.id) }
        }
        #expect(isKnown)
        for other in others where other.wakes == nil {
            fighter.known[other.id] = Int(try await other.member.run(.streamed).number)
        }
        try await member.run(.stream(Posts("Melee", count: batch, size: 50), minding: []))
        return fighter
    }

    @Test(.rule(37))
    func `All living processes hear each other's posts, whichever process dies or stops`()
        async throws
    {
        try await inWorld(.processes) { world in
            var chance = Chance(seed: UInt64(truncatingIfNeeded: Self.seed))
            var fighters: [Fighter] = []
            for _ in 0..<meleeSize { fighters.append(try await Self.enlist(world, fighters)) }
            for turn in 0..<100 * StormTests.force {
                for index in fighters.indices where fighters[index].wakes ?? .max <= turn {
                    fighters[index].member.process?.kill(SIGCONT)
                    fighters[index].wakes = nil
                }
                let index = Int.random(in: fighters.indices, using: &chance)
                if Bool.random(using: &chance) {
                    fighters.remove(at: index).member.process?.kill(SIGKILL)
                    fighters.append(try await Self.enlist(world, fighters))
                } else if fighters[index].wakes == nil,
                    fighters.filter({ $0.wakes == nil }).count > 2
                {
                    fighters[index].member.process?.kill(SIGSTOP)
                    fighters[index].wakes = turn + Int.random(in: 1...3, using: &chance)
                }
                try await Self.checkLife(fighters)
            }
            try await Self.introduceAll(&fighters)
            try await Self.checkAll(fighters)
        }
    }

    /// Checks that processes that are not stopped go on posting to each other.
    private static func checkLife(_ fighters: [Fighter]) async throws {
        let awake = fighters.filter { $0.wakes == nil }
        guard let first = awake.first, let last = awake.last, first.id != last.id else { return }
        let count = Int(try await first.member.run(.streamed).number) + batch
        let tallies = try await last.member.run(.tallyUpTo("all", [first.id: count])).tallies
        #expect(tallies.contains { $0.sender == first.id && $0.last >= count })
    }

    /// Has all processes go on and know of each other, and then post more: a stopped process may
    /// have posted nothing since others came.
    private static func introduceAll(_ fighters: inout [Fighter]) async throws {
        for index in fighters.indices where fighters[index].wakes != nil {
            fighters[index].member.process?.kill(SIGCONT)
            fighters[index].wakes = nil
        }
        for fighter in fighters { try await fighter.member.ready() }
        var posted: [String: Int] = [:]
        for fighter in fighters {
            posted[fighter.id] = Int(try await fighter.member.run(.streamed).number)
        }
        let more = posted.mapValues { $0 + 2 * batch }
        for index in fighters.indices {
            for stranger in fighters[index].strangers {
                fighters[index].known[stranger] = posted[stranger]
            }
            let tallies = try await fighters[index].member.run(.tallyUpTo("all", more)).tallies
            for (sender, count) in more {
                #expect(tallies.contains { $0.sender == sender && $0.last >= count })
            }
        }
    }

    private static func checkAll(_ fighters: [Fighter]) async throws {
        var posted: [String: Int] = [:]
        for fighter in fighters {
            posted[fighter.id] = Int(try await fighter.member.run(.stopStreaming).number)
        }
        for fighter in fighters {
            let tallies = try await fighter.member.run(.tallyUpTo("all", posted)).tallies
            // No post is missing or out of order, also of processes that have died.
            #expect(tallies.allSatisfy { $0.missing == 0 && $0.disorder == 0 })
            for (sender, count) in posted {
                let tally = tallies.first { $0.sender == sender }
                #expect(tally?.last == count)
                // The process hears all posts from the moment on when both knew of each other.
                let latestFirst = (fighter.known[sender] ?? 0) + batch + 1
                #expect(tally.map { $0.first <= latestFirst } == true)
            }
            // A killed process leaves without a farewell, so the number of its lost posts is not
            // known.
            let losses = try await fighter.member.run(.losses(incoming: 0, outgoing: 0)).losses
            #expect(losses.allSatisfy { $0.count == 0 && $0.isIncoming })
        }
    }
}

/// Random numbers that are the same each time.
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
