// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

/// The latest values of real processes.
@Suite("The latest values of processes", .serialized, .timeLimit(.minutes(5)))
struct KeptValueTests {
    private func late(_ object: String? = nil) -> Observing {
        Observing("A", object, kind: .notification, hearsLatest: true)
    }

    @Test(.rule(43), arguments: Depth.allCases)
    func `Members that join at any time hear the latest value first, and what follows once`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            try await poster.post(Posts("A", count: 3, isKept: true))
            for round in 0..<4 {
                let hearer = try await world.member("hearer \(round)")
                try await hearer.observe("late", late())
                #expect(try await hearer.numbers("late", 1) == [3 + round])
                try await hearer.ready()
                try await poster.post(Posts("A", first: 4 + round, isKept: true))
                #expect(try await hearer.numbers("late", 2) == [3 + round, 4 + round])
            }
        }
    }

    @Test(.rule(43))
    func `A value ends with the process that posted it, for those that come later`()
        async throws
    {
        try await inWorld(.processes) { world in
            let (poster, other) = (
                try await world.member("poster"), try await world.member("other")
            )
            try await poster.post(Posts("A", isKept: true))
            poster.process?.kill(SIGKILL)
            _ = try await other.run(.peersLeft(atMost: 0))
            let newcomer = try await world.member("newcomer")
            try await newcomer.observe("late", late())
            try await newcomer.ready()
            try await other.post(Posts("A", first: 2, isKept: true))
            #expect(try await newcomer.numbers("late", 1) == [2])
        }
    }

    @Test(.rule(43)) func `Values that many processes post reach a newcomer once each`()
        async throws
    {
        try await inWorld(.processes) { world in
            var posters: [Member] = []
            for number in 1...5 {
                posters.append(try await world.member("poster \(number)"))
                try await posters[number - 1].post(
                    Posts("A", "object \(number)", first: number, isKept: true))
            }
            let newcomer = try await world.member("newcomer")
            try await newcomer.observe("late", late())
            #expect(try await newcomer.numbers("late", 5).sorted() == [1, 2, 3, 4, 5])
        }
    }
}
