// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

/// The costs of a center in a process in which nothing happens.
@Suite("An idle process with peers", .serialized, .timeLimit(.minutes(5)))
struct IdleTests {
    private static let peers = 16

    /// A process that knows 16 others, has posted to them and heard of them.
    private static func member(_ world: World) async throws -> Member {
        let members = try await world.members(peers + 1)
        _ = try await all(members) { member in
            try await member.observe("it", Observing("A", onlyCounts: true))
            try await member.ready()
        }
        for member in members { try await member.post(Posts("A", count: 100)) }
        _ = try await all(members) { try await $0.run(.tally("it", atLeast: 1_700)) }
        _ = try await all(members) { try await $0.run(.flush(seconds: 60)) }
        return members[0]
    }

    @Test(.disabled(if: isThreadSanitized, "it has a thread of its own that wakes up"))
    func `No thread wakes up while nothing happens`() async throws {
        try await inWorld(.processes) { world in
            let member = try await Self.member(world)
            let identifier = try #require(member.process?.identifier)
            // The test reads the member's switches from outside, so that the member does nothing
            // itself. The member may need a while to come to rest on a busy machine.
            var switches = -1
            for _ in 0..<30 where switches != 0 {
                let before = Self.switches(identifier)
                // The test sleeps a second, because it measures the wake-ups of a second.
                try await Task.sleep(for: .seconds(1))
                switches = Self.switches(identifier) - before
            }
            #expect(switches == 0, "\(Self.threads(identifier))")
        }
    }

    @Test func `The center, with 16 peers, takes little memory and few threads`() async throws {
        try await inWorld(.processes) { world in
            let plain = Member("plain", try await world.process(["none"]))
            let member = try await Self.member(world)
            // The plain program has answered as often as the member, so both have done the same.
            for _ in 0..<20 { try await plain.run(.costs) }
            let without = try #require(try await plain.run(.costs).costs)
            var with = try #require(try await member.run(.costs).costs)
            // A center opens two files for each peer, a socket, a folder, pollers with their
            // signals, and the main queue's files. A connection that ended a moment ago may still
            // be open on a loaded machine, and the memory of a burst is given back a moment later.
            let mostFiles = without.openFiles + 2 * Self.peers + 12
            for _ in 0..<1_000
            where with.openFiles > mostFiles
                || !isThreadSanitized && with.privateMemory - without.privateMemory > 1_024
            {
                with = try #require(try await member.run(.costs).costs)
            }
            print(
                "idle, 16 peers: \(with.privateMemory - without.privateMemory) KiB of its own,",
                "\(with.residentMemory - without.residentMemory) KiB resident,",
                "\(with.threads - without.threads) threads,",
                "\(with.openFiles - without.openFiles) files more")
            #expect(with.threads - without.threads <= 2)
            #expect(with.openFiles <= mostFiles)
            // The code that processes share takes no memory for one more process, so private memory
            // counts.
            #expect(isThreadSanitized || with.privateMemory - without.privateMemory <= 1_024)
            await plain.end()
        }
    }

    private static func threads(_ process: Int32) -> [String] {
        let tasks = "/proc/\(process)/task"
        let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks)
        return (threads ?? []).sorted().map { thread in
            let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            let lines = (status ?? "").split(separator: "\n")
            return ["Name:", "voluntary_ctxt_switches:"].map { key in
                lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count + 1)) } ?? "0"
            }.joined(separator: " ")
        }
    }

    /// The number of times that the threads of a process have waited.
    private static func switches(_ process: Int32) -> Int {
        threads(process).reduce(0) { sum, thread in
            sum + (thread.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }
}
