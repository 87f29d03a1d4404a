// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

/// `waitUntilReady`, `waitUntilFlushed`, `ping` and `status`.
@Suite("Waiting for other processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedWaitingTests {
    /// Stops a member, as far as other members can tell.
    private static func stop(_ member: Member, in world: World) {
        if let process = member.process { return process.kill(SIGSTOP) }
        for other in ["a", "b", "c"] where other != member.name {
            world.network.hold(from: member.name, to: other)
            world.network.hold(from: other, to: member.name)
        }
    }

    private static func goOn(_ member: Member, in world: World) {
        if let process = member.process { return process.kill(SIGCONT) }
        for other in ["a", "b", "c"] {
            world.network.release(from: member.name, to: other)
            world.network.release(from: other, to: member.name)
        }
    }

    @Test(.rule(35), arguments: [Depth.memory, .processes])
    func `waitUntilReady names stopped processes, and none once they go on`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let a = try await world.member("a")
            let b = try await world.member("b")
            let c = try await world.member("c")
            try await c.ready()
            try await a.ready()
            let id = try await b.id
            Self.stop(b, in: world)
            try await a.observe("it", Observing("A"))
            #expect(try await a.run(.ready(seconds: 0.3)).peers.map(\.id) == [id])
            // The third member knows what the first observes.
            try await c.post(Posts("A"))
            #expect(try await a.numbers("it", 1) == [1])
            Self.goOn(b, in: world)
            try await a.ready()
            try await b.post(Posts("A", first: 2))
            #expect(try await a.numbers("it", 2) == [1, 2])
        }
    }

    @Test(.rule(35), arguments: [Depth.memory, .processes])
    func `A process that joins while another is stopped is known to it when it goes on`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let a = try await world.member("a")
            try await a.ready()
            let id = try await a.id
            Self.stop(a, in: world)
            let b = try await world.member("b")
            try await b.observe("it", Observing("A"))
            #expect(try await b.run(.ready(seconds: 0.3)).peers.map(\.id) == [id])
            // A post waits for a peer of which nothing is known yet.
            try await b.post(Posts("B", count: 5))
            Self.goOn(a, in: world)
            try await b.ready()
            try await a.post(Posts("A"))
            #expect(try await b.numbers("it", 1) == [1])
            #expect(try await a.run(.peers).peers.map(\.received) == [0])
        }
    }

    @Test(.rule(36), arguments: [Depth.memory, .processes])
    func `A post made before a peer has subscribed is not lost`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let a = try await world.member("a")
            try await a.observe("it", Observing("A", "x"))
            try await a.ready()
            Self.stop(a, in: world)
            let b = try await world.member("b")
            try await b.post(Posts("A", "x", count: 500))
            try await b.post(Posts("A", "y", count: 500))
            try await b.post(Posts("A", "x", count: 500, first: 501))
            Self.goOn(a, in: world)
            #expect(try await a.numbers("it", 1000) == Array(1...1000))
            #expect(try await a.run(.peers).peers.map(\.received) == [1000])
            #expect(try await a.run(.losses(incoming: 0, outgoing: 0)).losses == [])
        }
    }

    @Test(arguments: Depth.allCases)
    func `waitUntilFlushed names processes for which notifications wait, and none once they read`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let a = try await world.member("a")
            let b = try await world.member("b")
            let c = try await world.member("c")
            for receiver in [b, c] {
                let isGated = receiver === b
                try await receiver.observe(
                    "it", Observing("A", onlyCounts: true, isGated: isGated))
                try await receiver.ready()
            }
            let id = try await b.id
            try await b.run(.gate(isOpen: false))
            try await a.post(Posts("A", count: 10_000))
            try await c.run(.tally("it", atLeast: 10_000))
            #expect(try await a.run(.flush(seconds: 0.3)).peers.map(\.id) == [id])
            let waiting = try await a.run(.peers).peers.first { $0.id == id }
            #expect(waiting.map { $0.queuedBytes > 0 } == true)
            try await b.run(.gate(isOpen: true))
            #expect(try await a.run(.flush(seconds: 60)).peers.isEmpty)
            let tally = try await b.run(.tally("it", atLeast: 10_000)).tallies[0]
            #expect(tally.count == 10_000 && tally.disorder == 0 && tally.missing == 0)
        }
    }

    @Test(arguments: Depth.allCases)
    func
        `ping finds living processes, also with a busy main thread, and status lists what a process knows`(
            depth: Depth
        ) async throws
    {
        try await inWorld(depth) { world in
            let a = try await world.member("a")
            let b = try await world.member("b")
            try await b.observe("it", Observing("A"))
            try await b.ready()
            try await a.ready()
            let (first, second) = (try await a.id, try await b.id)
            #expect(try await a.run(.ping(second, seconds: 60)).number >= 0)
            try await a.post(Posts("A", count: 3))
            #expect(try await b.numbers("it", 3) == [1, 2, 3])
            let seen = try await a.run(.status(of: second, seconds: 60)).peers
            #expect(seen.map(\.id) == [first])
            #expect(seen.map(\.received) == [3])
            if depth == .sockets { return }
            Self.stop(b, in: world)
            #expect(try await a.run(.ping(second, seconds: 0.3)).number < 0)
            Self.goOn(b, in: world)
            #expect(try await a.run(.ping(second, seconds: 60)).number >= 0)
        }
    }
}
