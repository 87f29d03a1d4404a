// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import SwitchyardDistributed
import TestSupport
import Testing

/// Notifications that arrive in order, with none missing.
@Suite("Order between processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedOrderTests {
    #if DEBUG
    static let volume = isThreadSanitized ? 2_000 : 10_000
    #else
    static let volume = 200_000
    #endif

    @Test(.rule(36), arguments: Depth.allCases, [1, 4, 16])
    func `All posts reach each of 1, 4, 16 receivers, in order`(
        depth: Depth, receivers: Int
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receivers = try await world.members(receivers)
            _ = try await all(receivers) { receiver in
                try await receiver.observe("all", Observing("Numbered", onlyCounts: true))
                try await receiver.ready()
            }
            let id = try await poster.id
            let posted = try await poster.post(Posts("Numbered", count: Self.volume))
            #expect(posted.dropped == 0)
            let tallies = try await all(receivers) { receiver in
                try await receiver.run(.tally("all", atLeast: Self.volume)).tallies
            }
            for tally in tallies {
                try #require(tally.count == 1)
                #expect(tally[0].sender == id)
                #expect(tally[0].count == Self.volume)
                #expect(tally[0].first == 1 && tally[0].last == Self.volume)
                #expect(tally[0].missing == 0 && tally[0].disorder == 0)
            }
            for receiver in receivers {
                #expect(try await receiver.run(.losses(incoming: 0, outgoing: 0)).losses == [])
            }
        }
    }
}
