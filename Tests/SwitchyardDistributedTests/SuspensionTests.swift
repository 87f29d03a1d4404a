// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import SwitchyardDistributed
import TestSupport
import Testing

/// Notifications for a suspended center, which behave as Apple documents it.
@Suite("Suspension between processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedSuspensionTests {
    private static func observeAll(_ member: Member) async throws {
        try await member.observe("drop", Observing("A", behavior: .drop))
        try await member.observe("coalesce", Observing("A", behavior: .coalesce))
        try await member.observe("hold", Observing("A", behavior: .hold))
        try await member.observe("end", Observing("End", behavior: .deliverImmediately))
        try await member.ready()
    }

    /// Waits until the receiver has taken in the poster's posts so far: the answer to a question
    /// comes behind them.
    private static func settle(_ poster: Member, _ receiver: Member) async throws {
        try await poster.run(.flush(seconds: 60))
        let time = try await poster.run(.ping(receiver.id, seconds: 60)).number
        #expect(time >= 0)
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func `Suspension drops, coalesces or holds, and held notifications come when it ends`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            try await Self.observeAll(receiver)
            try await receiver.run(.suspend(true))
            try await poster.post(Posts("A", "x", count: 3))
            try await poster.post(Posts("A", "y", first: 4))
            try await poster.post(Posts("A", "x", first: 5))
            try await Self.settle(poster, receiver)
            try await receiver.run(.suspend(false))
            try await poster.post(Posts("A", "x", first: 6))
            #expect(try await receiver.numbers("hold", 6) == [1, 2, 3, 4, 5, 6])
            #expect(try await receiver.numbers("coalesce", 3) == [4, 5, 6])
            #expect(try await receiver.numbers("drop", 1) == [6])
        }
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func `A post for immediate delivery reaches all observers, after the held notifications`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            try await Self.observeAll(receiver)
            try await receiver.run(.suspend(true))
            try await poster.post(Posts("A", count: 3))
            try await poster.post(Posts("A", first: 4, isImmediate: true))
            try await poster.post(Posts("A", count: 2, first: 5))
            #expect(try await receiver.numbers("hold", 4) == [1, 2, 3, 4])
            #expect(try await receiver.numbers("coalesce", 2) == [3, 4])
            #expect(try await receiver.numbers("drop", 1) == [4])
            // The center stays suspended.
            try await Self.settle(poster, receiver)
            #expect(try await receiver.numbers("hold", 4) == [1, 2, 3, 4])
            try await receiver.run(.suspend(false))
            try await poster.post(Posts("A", first: 7))
            #expect(try await receiver.numbers("hold", 7) == [1, 2, 3, 4, 5, 6, 7])
            #expect(try await receiver.numbers("coalesce", 4) == [3, 4, 6, 7])
            #expect(try await receiver.numbers("drop", 2) == [4, 7])
        }
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func `An immediate delivery to one observer releases what was held for others`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            try await Self.observeAll(receiver)
            try await receiver.observe("all", Observing("End", behavior: .drop))
            try await receiver.run(.suspend(true))
            try await poster.post(Posts("A", count: 2))
            try await poster.post(Posts("End", first: 3))
            #expect(try await receiver.numbers("end", 1) == [3])
            // The center acts as if it had been resumed for the notification: observers that drop
            // get it, too.
            #expect(try await receiver.numbers("all", 1) == [3])
            #expect(try await receiver.numbers("hold", 2) == [1, 2])
            #expect(try await receiver.numbers("coalesce", 1) == [2])
            #expect(try await receiver.numbers("drop", 0) == [])
        }
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func `Own posts are held like those of other processes`(depth: Depth) async throws {
        try await inWorld(depth) { world in
            let member = try await world.member("member")
            try await Self.observeAll(member)
            try await member.run(.suspend(true))
            try await member.post(Posts("A", count: 3))
            try await member.post(Posts("A", form: .info, first: 4))
            #expect(try await member.numbers("hold", 0) == [])
            try await member.post(Posts("A", first: 5, isImmediate: true))
            #expect(try await member.numbers("hold", 5) == [1, 2, 3, 4, 5])
            try await member.post(Posts("A", count: 2, first: 6))
            try await member.run(.suspend(false))
            #expect(try await member.numbers("hold", 7) == [1, 2, 3, 4, 5, 6, 7])
            #expect(try await member.numbers("coalesce", 3) == [4, 5, 7])
            #expect(try await member.numbers("drop", 1) == [5])
        }
    }

    @Test(.rule(2), arguments: Depth.allCases)
    func `Held notifications do not reach observers that were added later`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let member = try await world.member("member")
            try await member.observe("early", Observing("A", behavior: .hold))
            try await member.run(.suspend(true))
            try await member.post(Posts("A"))
            try await member.observe("late", Observing("A", behavior: .hold))
            try await member.post(Posts("A", first: 2))
            try await member.run(.suspend(false))
            #expect(try await member.numbers("early", 2) == [1, 2])
            #expect(try await member.numbers("late", 1) == [2])
        }
    }
}
