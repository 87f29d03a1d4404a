// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardDistributed
import TestSupport
import Testing

/// Real processes that come, go, stop and die at any moment. `SWITCHYARD_STORM` multiplies the
/// length of the tests.
@Suite("Storms of processes", .serialized, .timeLimit(.minutes(10)))
struct StormTests {
    static let force = number(of: "SWITCHYARD_STORM") ?? 1

    /// The number in a variable of the environment.
    static func number(of variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    @Test(.rule(37)) func `Living processes hear all posts, whichever process dies or stops`()
        async throws
    {
        try await inWorld(.processes) { world in
            let poster = try await world.member("poster")
            let steady = try await world.members(4)
            _ = try await all(steady) { member in
                try await member.observe("all", Observing("Storm", onlyCounts: true))
                try await member.ready()
            }
            var victims = try await world.members(3)
            let minded = try await all(steady) { try await $0.id }
            try await poster.run(.stream(Posts("Storm", size: 50), minding: minded))
            for turn in 0..<100 * Self.force {
                victims.append(try await strike(&victims, turn, world))
            }
            for victim in victims { victim.process?.kill(SIGCONT) }
            let posted = Int(try await poster.run(.stopStreaming).number)
            #expect(posted > 0)
            for tallies in try await all(
                steady, { try await $0.run(.tally("all", atLeast: posted)).tallies })
            {
                #expect(tallies.count == 1)
                #expect(tallies[0].count == posted)
                #expect(tallies[0].missing == 0 && tallies[0].disorder == 0)
            }
        }
    }

    /// Kills a process, or stops one and kills another that was stopped before. The result is the
    /// new process in the killed one's place, which observes as well.
    private func strike(
        _ victims: inout [Member], _ turn: Int, _ world: World
    ) async throws -> Member {
        let victim = victims.removeFirst()
        if turn.isMultiple(of: 2) {
            victim.process?.kill(SIGKILL)
        } else {
            victim.process?.kill(SIGSTOP)
            // The stopped process goes on, or is killed while it is stopped, when its turn comes
            // again.
            victims.append(victim)
            victims[0].process?.kill(turn % 4 == 1 ? SIGCONT : SIGKILL)
            if turn % 4 == 3 { victims.removeFirst() }
            while victims.count > 3 { victims.removeFirst().process?.kill(SIGKILL) }
        }
        let fresh = try await world.member("fresh \(turn)")
        try await fresh.observe("all", Observing("Storm", onlyCounts: true))
        return fresh
    }

    @Test(.rule(35))
    func `No pair of ready processes misses a post, whichever processes come and go`()
        async throws
    {
        try await inWorld(.processes) { world in
            var live: [(member: Member, expected: Int)] = []
            for turn in 0..<200 * Self.force {
                if live.count == 5 {
                    let leaver = live.remove(at: turn * 7 % live.count).member
                    // Half of the processes leave in good order.
                    if turn.isMultiple(of: 2) { try await leaver.run(.leave) }
                    leaver.process?.kill(SIGKILL)
                }
                let newcomer = try await world.member("newcomer \(turn)")
                try await newcomer.observe("all", Observing("Turn", onlyCounts: true))
                try await newcomer.ready()
                live.append((newcomer, 0))
                for member in live.map(\.member) { try await member.post(Posts("Turn")) }
                for index in live.indices {
                    live[index].expected += live.count
                    let expected = live[index].expected
                    let tallies = try await live[index].member.run(
                        .tally("all", atLeast: expected)
                    ).tallies
                    #expect(tallies.reduce(0) { $0 + $1.count } == expected)
                }
            }
        }
    }

    @Test(.rule(35)) func `64 processes that start at once all hear each other`() async throws {
        try await inWorld(.processes) { world in
            let members = try await world.members(64)
            _ = try await all(members) { member in
                try await member.observe("all", Observing("Hello", onlyCounts: true))
            }
            _ = try await all(members) { try await $0.ready() }
            _ = try await all(members) { try await $0.post(Posts("Hello")) }
            for tallies in try await all(
                members, { try await $0.run(.tally("all", atLeast: 64)).tallies })
            {
                #expect(Set(tallies.map(\.process)).count == 64)
                #expect(tallies.allSatisfy { $0.count == 1 })
            }
        }
    }
}
