// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

/// Processes that join, leave, fork and become other programs.
@Suite("The life of processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedLifetimeTests {
    /// The sockets of a world's processes.
    private func sockets(_ world: World) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: "\(world.folder)/switchyard/\(world.domain)")
    }

    @Test(.rule(35), arguments: Depth.allCases)
    func `Processes that leave are forgotten and processes that join are known, in any order`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let stays = try await world.member("stays")
            try await stays.observe("it", Observing("A"))
            try await stays.ready()
            for round in 1...10 {
                let other = try await world.member("other")
                try await other.observe("it", Observing("A"))
                try await other.ready()
                try await other.post(Posts("A", first: round))
                try await stays.post(Posts("A", first: 100 + round))
                #expect(try await other.numbers("it", 2).sorted() == [round, 100 + round])
                #expect(try await stays.numbers("it", 2 * round).count == 2 * round)
                try await other.run(.leave)
                #expect(try await stays.run(.peersLeft(atMost: 0)).peers.isEmpty)
            }
            #expect(try await stays.run(.problems(containing: "")).texts.isEmpty)
        }
    }

    @Test(.rule(37)) func `Centers of one process that leave at the same time report no loss`()
        async throws
    {
        for round in 0..<200 {
            let (network, heard) = (InMemoryNetwork(), Log<Int>())
            let (a, b) = try (network.center(named: "a"), network.center(named: "b"))
            let token = b.observe(Notification.Name("A"), on: .poster) { _ in heard.add(0) }
            #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
            for _ in 0..<10 { a.post(name: Notification.Name("A"), object: nil) }
            _ = await heard.arrival(of: 10)
            var losses = b.leave()
            // The poster may find the broken connection, and has not found yet that the other is
            // gone.
            for _ in 0..<round { await Task.yield() }
            losses += a.leave()
            #expect(losses == [])
            token.cancel()
        }
    }

    @Test(.rule(37)) func `The traces of a killed process go when the next process joins`()
        async throws
    {
        try await inWorld(.processes) { world in
            let alone = try await world.member("alone")
            alone.process?.kill(SIGKILL)
            #expect(try sockets(world).count == 1)
            let next = try await world.member("next")
            #expect(try sockets(world).count == 1)
            #expect(try await next.run(.peers).peers.isEmpty)
            // The traces go at once if another process knew the killed one.
            let other = try await world.member("other")
            try await other.ready()
            other.process?.kill(SIGKILL)
            #expect(try await next.run(.peersLeft(atMost: 0)).peers.isEmpty)
            #expect(await until { (try? sockets(world).count) == 1 })
        }
    }

    @Test(.rule(35)) func `A process that ends in order leaves nothing, and loses nothing`()
        async throws
    {
        try await inWorld(.processes) { world in
            let receiver = try await world.member("receiver")
            try await receiver.observe("it", Observing("A", onlyCounts: true))
            try await receiver.ready()
            // The poster posts right before its end, and before a peer has answered.
            for _ in 1...20 {
                let poster = try await world.member("poster")
                try await poster.post(Posts("A", count: 5_000))
                #expect(await onOwnThread { poster.process?.finish() } == 0)
            }
            let tallies = try await receiver.run(.tally("it", atLeast: 100_000)).tallies
            #expect(tallies.count == 20)
            #expect(tallies.allSatisfy { $0.count == 5_000 && $0.disorder == 0 })
            #expect(try await receiver.run(.peersLeft(atMost: 0)).peers.isEmpty)
            #expect(try sockets(world).count == 1)
        }
    }

    @Test(.rule(37)) func `An exit waits for a process that reads again after a pause`()
        async throws
    {
        try await inWorld(.processes) { world in
            let receiver = try await world.member("receiver")
            let poster = try await world.member("poster")
            let other = try await world.member("other")
            try await receiver.observe("it", Observing("A", onlyCounts: true))
            try await receiver.ready()
            let id = try await receiver.id
            receiver.process?.kill(SIGSTOP)
            try await poster.post(Posts("A", count: 3_000, size: 1_000))
            let process = try #require(poster.process)
            async let status = onOwnThread { process.finish() }
            // The ping takes a second, because the receiver does not answer.
            #expect(try await other.run(.ping(id, seconds: 1)).number < 0)
            receiver.process?.kill(SIGCONT)
            #expect(await status == 0)
            let tally = try await receiver.run(.tally("it", atLeast: 3_000)).tallies.first
            #expect(tally?.count == 3_000 && tally?.missing == 0)
            #expect(try await receiver.run(.peersLeft(atMost: 1)).peers.count == 1)
            #expect(try await receiver.run(.losses(incoming: 0, outgoing: 0)).losses.isEmpty)
        }
    }

    @Test(.rule(37)) func `A process that exits in the hook of a loss still writes what waits`()
        async throws
    {
        try await inWorld(.processes) { world in
            let receiver = try await world.member("receiver")
            let poster = try await world.member(
                "poster", limits: DistributedLimits(queueBytes: 4_000_000))
            try await receiver.observe("it", Observing("A", onlyCounts: true))
            try await receiver.ready()
            receiver.process?.kill(SIGSTOP)
            let posts = 20_000
            try await poster.post(Posts("A", count: posts, size: 1_000))
            _ = try await poster.run(.exitOnLoss)
            let process = try #require(poster.process)
            receiver.process?.kill(SIGCONT)
            // The hook runs on the thread that writes, which does not return from it.
            #expect(await onOwnThread { process.waitForEnd() } == 0)
            let lost = try await receiver.run(.losses(incoming: 1, outgoing: 0)).losses
            let count = try await receiver.run(.tally("it", atLeast: 3_000)).tallies.first?.count
            #expect(UInt64(count ?? 0) + lost.reduce(0) { $0 + $1.count } == UInt64(posts))
            // All that found room.
            #expect(count ?? 0 >= 3_900)
        }
    }

    @Test(.rule(37)) func `A process that exits in a handler still answers others`() async throws {
        try await inWorld(.processes) { world in
            let leaving = try await world.member("leaving")
            let stopped = try await world.member("stopped")
            let other = try await world.member("other")
            try await leaving.observe("end", Observing("END", endsProcess: true))
            try await stopped.observe("it", Observing("A", onlyCounts: true))
            let third = try await world.member("third")
            try await other.observe("it", Observing("GONE"))
            try await leaving.ready()
            try await stopped.ready()
            try await other.ready()
            try await third.ready()
            let id = try await leaving.id
            stopped.process?.kill(SIGSTOP)
            // The posts are more than the sockets take, so the exit waits for the stopped process.
            try await leaving.post(Posts("A", count: 3_000, size: 1_000))
            try await other.post(Posts("END", count: 1))
            #expect(try await other.run(.entries("it", atLeast: 1)).entries.count == 1)
            // The thread on which notifications arrive is in the handler, and does not return.
            #expect(try await third.run(.ping(id, seconds: 9)).number >= 0)
            stopped.process?.kill(SIGCONT)
            let process = try #require(leaving.process)
            #expect(await onOwnThread { process.waitForEnd() } == 0)
            let tally = try await stopped.run(.tally("it", atLeast: 3_000)).tallies.first
            #expect(tally?.count == 3_000)
        }
    }

    @Test(.rule(35)) func `300 centers that come and go leave no thread, descriptor or memory`()
        async throws
    {
        try await inWorld(.processes) { world in
            let other = try await world.member("other")
            try await other.observe("it", Observing("Nothing"))
            let member = try await world.member("member")
            let before = try await member.run(.churn(world.domain, times: 20)).costs
            let after = try await member.run(.churn(world.domain, times: 300)).costs
            let (first, last) = (try #require(before), try #require(after))
            // A center's threads end a moment after it.
            #expect(last.threads <= first.threads + 4)
            #expect(last.openFiles <= first.openFiles + 16)
            #if !DEBUG
            // Allocators keep more in debug builds and under sanitizers.
            #expect(
                isThreadSanitized || last.residentMemory <= first.residentMemory + 2_000, "KiB")
            #endif
            #expect(try await member.run(.peersLeft(atMost: 1)).peers.count == 1)
            #expect(await until { (try? sockets(world).count) == 2 })
        }
    }

    // MARK: - fork and exec

    @Test(.disabled(if: isThreadSanitized, "forked children start no threads there"))
    func `A forked child is told that the center is its parent's, and gets its own default center`()
        async throws
    {
        try await inWorld(.processes) { world in
            let peer = try await world.member("peer", arguments: ["--default"])
            try await peer.observe("it", Observing("from the child"))
            let parent = try await world.member("parent", arguments: ["--default"])
            try await parent.observe("it", Observing("from the child"))
            _ = try await all([peer, parent]) { try await $0.ready() }
            let lines = try await parent.run(.fork(stays: false)).texts
            let child = try #require(lines.last.flatMap { Int32($0) })
            #expect(
                lines.prefix(2).allSatisfy { $0.hasPrefix("problem: this process was forked") })
            #expect(
                lines.dropFirst(2).dropLast() == [
                    "parent's: 0", "another: true", "connected: false, true", "ready: 0",
                    "heard: 2", "flushed: 0", "end",
                ])
            for member in [peer, parent] {
                let heard = try await member.entries("it", 1)
                #expect(heard.map(\.number) == [1])
                #expect(heard.map(\.process) == [child])
            }
            // The parent's center goes on as before.
            try await parent.post(Posts("from the child", first: 3))
            #expect(try await peer.numbers("it", 2) == [1, 3])
        }
    }

    @Test(.disabled(if: isThreadSanitized, "forked children start no threads there"))
    func `A forked child's own center ends whatever the parent's threads did at the fork`()
        async throws
    {
        try await inWorld(.processes) { world in
            let peer = try await world.member("peer")
            try await peer.observe("it", Observing("in the parent"))
            let parent = try await world.member("parent")
            _ = try await all([peer, parent]) { try await $0.ready() }
            let answer = try await parent.run(.forkEnding(world.domain, times: 60))
            #expect(answer.texts == [])
        }
    }

    @Test(.rule(37), .disabled(if: isThreadSanitized, "forked children start no threads there"))
    func `Peers notice the death of a process whose forked child lives`()
        async throws
    {
        try await inWorld(.processes) { world in
            let peer = try await world.member("peer", arguments: ["--default"])
            let parent = try await world.member("parent", arguments: ["--default"])
            _ = try await all([peer, parent]) { try await $0.ready() }
            let lines = try await parent.run(.fork(stays: true)).texts
            let child = try #require(lines.last.flatMap { Int32($0) })
            defer { kill(child, SIGKILL) }
            #expect(try await peer.run(.peersKnown(atLeast: 2)).peers.count == 2)
            parent.process?.kill(SIGKILL)
            let left = try await peer.run(.peersLeft(atMost: 1)).peers
            #expect(left.map(\.process) == [child])
            kill(child, SIGKILL)
            #expect(try await peer.run(.peersLeft(atMost: 0)).peers.isEmpty)
        }
    }

    @Test func `A program that a process becomes has nothing of its center`() async throws {
        try await inWorld(.processes) { world in
            let peer = try await world.member("peer")
            let other = try await world.member("other")
            _ = try await all([peer, other]) { try await $0.ready() }
            let process = try #require(other.process)
            try process.tell(.exec("/bin/cat"))
            // The system closes the files one after the other. Until the listener's turn has come,
            // the peer may connect once more.
            var left: [Peer] = []
            repeat { left = try await peer.run(.peersLeft(atMost: 0)).peers } while !left.isEmpty
            // The process lives, and has none of the files that were open.
            let identifier = process.identifier
            #expect(
                await until {
                    (try? String(contentsOfFile: "/proc/\(identifier)/comm", encoding: .utf8))
                        == "cat\n"
                })
            #expect(await until { (try? pollers(of: identifier)) == 0 })
        }
    }

    /// The number of a process's descriptors of the kinds that a center makes.
    private func pollers(of process: Int32) throws -> Int {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { file in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: folder + "/" + file)
            return target?.contains("eventpoll") == true || target?.contains("eventfd") == true
        }
    }
}
