// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardDistributed
import SwitchyardNATS
import Synchronization
import Testing

extension ProgramTests {
    /// `switchyard refused`, beside a durable observer in the test's own process.
    @Suite struct RefusedCommands {
        private struct Refused: Error {}

        private let server: Server
        private let folder: TestFolder

        init() throws {
            server = try Server(["-js"])
            folder = try TestFolder()
        }

        /// Has a durable observer give up a notification of each name.
        private func refuse(_ names: [String]) async throws -> DistributedNotificationCenter {
            var options = NATSOptions(servers: [server.url])
            options.durableTries = 1
            let center = try DistributedNotificationCenter(transport: .nats(options))
            let token = try center.observe(durable: "d", nil, on: .poster) { _ in throw Refused() }
            let nats = ["--nats", server.url]
            for name in names {
                let post = try await run(
                    ["post", name, "--object", "o\u{1B}[2J", "--info", "n=1"] + nats, in: folder)
                #expect(post.status == 0)
            }
            while try center.refused().count < names.count { await Task.yield() }
            token.cancel()
            return center
        }

        @Test(.timeLimit(.minutes(5))) func `refused lists, posts again and discards`() async throws
        {
            let center = try await refuse(["A", "B", "C"])
            let nats = ["--nats", server.url]
            let list = try await run(["refused"] + nats, in: folder)
            #expect(list.status == 0 && list.output.count == 3)
            let lines = try list.output.map { try object($0) }
            #expect(lines.map { $0["name"] as? String } == ["A", "B", "C"])
            #expect(lines.allSatisfy { $0["durable"] as? String == "d" })
            #expect(lines.allSatisfy { $0["error"] as? String == "Refused()" })
            // No control characters of a notification reach a terminal.
            #expect(!list.output.contains { $0.contains("\u{1B}") })
            let number = try #require(lines[1]["number"] as? Int)
            let again = try await run(
                ["refused", "d", "--again", "--number", "\(number)"] + nats, in: folder)
            #expect(again.status == 0 && again.errors == ["switchyard refused: posted again: 1"])
            #expect(try center.refused().map(\.name.rawValue) == ["A", "C"])
            let heard = Heard()
            let token = try center.observe(durable: "d", nil, on: .poster) {
                heard.add($0.name.rawValue)
            }
            while heard.names.isEmpty { await Task.yield() }
            #expect(heard.names == ["B"])
            token.cancel()
            let discarded = try await run(["refused", "--discard"] + nats, in: folder)
            #expect(
                discarded.status == 0 && discarded.errors.last?.contains("discarded: 2") == true)
            #expect(try center.refused().isEmpty)
            let missing = try await run(["refused", "--number", "99"] + nats, in: folder)
            #expect(missing.status == 1)
            #expect(missing.errors == ["switchyard refused: not among the refused: 99"])
        }

        @Test func `refused without a cluster is a mistake that says what to do`() async throws {
            let none = try await run("refused", in: folder)
            #expect(none.status == 64 && none.errors.first?.contains("--nats") == true)
            let plain = try Server()
            let empty = try await run("refused", "--nats", plain.url, in: folder)
            #expect(empty.status == 1)
            #expect(empty.errors.first?.contains("nats-server -js") == true)
        }
    }
}

/// The names of the notifications that were heard. Safe from any thread.
private final class Heard: Sendable {
    private let storage = Mutex<[String]>([])

    var names: [String] { storage.withLock { $0 } }

    func add(_ name: String) { storage.withLock { $0.append(name) } }
}
#endif
