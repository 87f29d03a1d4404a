// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import TestSupport
import Testing

extension ProgramTests {
    /// The commands with `--nats`, each a process.
    @Suite struct Cluster {
        /// The number of lines of a long pipe. ThreadSanitizer makes each take about fifty times as
        /// long.
        private static let lineCount = isThreadSanitized ? 10_000 : 100_000

        private let server: Server
        private let folder: TestFolder

        init() throws {
            server = try Server()
            folder = try TestFolder()
        }

        @Test func `post, observe, peers and ping with --nats speak to a cluster`() async throws {
            let nats = ["--nats", server.url]
            let observer = try ToolProcess(
                ["observe", "A", "--json", "--count", "1"] + nats, in: folder)
            try await observer.ready()
            let peers = try await run(["peers"] + nats, in: folder)
            #expect(peers.status == 0)
            #expect(
                peers.output.starts(with: [
                    "switchyard observe (\(observer.processIdentifier))", #"  observes: "A""#,
                ]))
            let ping = try await run(["ping", "switchyard"] + nats, in: folder)
            #expect(ping.status == 0)
            // Processes that meet in a folder hear nothing of the cluster.
            let here = try ToolProcess("observe", "--json", "--count", "1", in: folder)
            try await here.ready()
            let post = try await run(
                ["post", "A", "--object", "o", "--info", "n=1"] + nats, in: folder)
            #expect(post.status == 0)
            let line = try object(await observer.output.next())
            #expect(line["object"] as? String == "o")
            #expect((line["userInfo"] as? [String: Any])?["n"] as? Int == 1)
            #expect(await observer.end() == 0)
            try await run("post", "last", in: folder)
            #expect(try object(await here.output.next())["name"] as? String == "last")
        }

        @Test func `Very many lines go through a cluster whole and in order`() async throws {
            let nats = ["--nats", server.url]
            let observer = try ToolProcess(
                ["observe", "L", "--json", "--count", "\(Self.lineCount)"] + nats, in: folder)
            try await observer.ready()
            let lines = (0..<Self.lineCount).map { "line \($0) of a pipe" }
            let posted = try await run(
                ["post", "L", "--lines"] + nats, in: folder, input: lines.joined(separator: "\n"))
            #expect(posted.status == 0)
            let arrived = await observer.output.all()
            #expect(arrived.count == lines.count)
            let isWhole = zip(arrived, lines).allSatisfy { $0.contains(#"{"line":"\#($1)"}"#) }
            #expect(isWhole)
            #expect(
                observer.errors.lines.last
                    == "received: \(lines.count), printed: \(lines.count), lost: 0")
        }

        @Test func `A command without a server says so and fails`() async throws {
            server.end()
            let post = try await run("post", "A", "--nats", server.url, in: folder)
            #expect(post.status == 1)
            #expect(post.errors.first?.contains("start one there (nats-server)") == true)
        }
    }
}
#else
import Testing

extension ProgramTests {
    @Suite struct Cluster {
        @Test func `A tool that was built without NATS says so`() async throws {
            let post = try await run(
                "post", "A", "--nats", "nats://127.0.0.1", in: try TestFolder())
            #expect(post.status == 1)
            #expect(post.errors.first?.contains("--traits NATS") == true)
        }
    }
}
#endif
