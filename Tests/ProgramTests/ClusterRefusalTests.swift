// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import TestSupport
import Testing

extension ProgramTests {
    /// The errors of the commands when servers refuse something.
    @Suite struct ClusterRefusals {
        private let server: Server
        private let folder: TestFolder

        init() throws {
            server = try Server(
                configuration: """
                    authorization { users: [
                        { user: all, password: "the-secret" },
                        { user: few, password: "the-secret", permissions: {
                            publish: { deny: ">" }, subscribe: { deny: "switchyard.>" }
                        } }
                    ] }
                    """)
            folder = try TestFolder()
        }

        private func nats(_ user: String, password: String = "the-secret") -> [String] {
            ["--nats", "nats://\(user):\(password)@127.0.0.1:\(server.port)"]
        }

        @Test func `A post that the server refuses ends with 1`() async throws {
            let post = try await run(["post", "A"] + nats("few"), in: folder)
            #expect(post.status == 1)
            #expect(post.errors.contains { $0.contains("1 notification was lost") })
            #expect(post.errors.contains { $0.contains("switchyard.default.-.A") })
            let allowed = try await run(["post", "A"] + nats("all"), in: folder)
            #expect(allowed.status == 0)
        }

        @Test(arguments: [["observe"], ["observe", "--quiet"], ["bridge"]])
        func `A command that may not subscribe does not say that it is ready`(
            command: [String]
        ) async throws {
            let observer = try await run(command + nats("few"), in: folder)
            #expect(observer.status == 1)
            #expect(observer.errors.contains { $0.contains("may not subscribe") })
            #expect(!observer.errors.contains { $0.contains("ready") })
        }

        @Test func `peers fails if it may not ask for the processes`() async throws {
            let peers = try await run(["peers"] + nats("few"), in: folder)
            #expect(peers.status == 1)
        }

        @Test func `No command prints a password`() async throws {
            let wrong = try await run(
                ["post", "A"] + nats("all", password: "wrong-one"), in: folder)
            #expect(wrong.status == 1)
            let peers = try await run(["peers"] + nats("all"), in: folder)
            #expect(peers.errors.contains { $0.contains("nats://127.0.0.1:\(server.port)") })
            let observer = try ToolProcess(["observe"] + nats("all"), in: folder)
            try await observer.ready()
            server.end()
            while let line = await observer.errors.next(), !line.contains("broke") {}
            observer.send(SIGINT)
            _ = await observer.end()
            let lines = wrong.errors + peers.errors + observer.errors.lines
            #expect(lines.contains { $0.contains("broke") })
            #expect(!lines.contains { $0.contains("the-secret") || $0.contains("wrong-one") })
        }
    }

    /// Posting to a server at the pace of the processes that read.
    @Suite struct ClusterPace {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test func `post --lines names a process that has stopped, and goes on beside it`()
            async throws
        {
            let server = try Server()
            let nats = ["--nats", server.url]
            let stopped = try ToolProcess(["observe", "L"] + nats, in: folder)
            try await stopped.ready()
            let observer = try ToolProcess(
                ["observe", "L", "--count", "1200"] + nats, in: folder)
            try await observer.ready()
            let line = String(repeating: "x", count: 10_000) + "\n"
            let poster = try ToolProcess(
                ["post", "L", "--lines", "--within", "20s"] + nats, in: folder)
            // The posts are enough for the poster to know of both observers.
            await poster.writeAll(String(repeating: line, count: 200))
            for _ in 0..<200 { _ = await observer.output.next() }
            stopProcess(stopped.processIdentifier)
            defer { kill(stopped.processIdentifier, SIGKILL) }
            await poster.writeAll(String(repeating: line, count: 1_000))
            poster.closeInput()
            #expect(await poster.end() == 0)
            let errors = await poster.errors.all()
            // The other observer may be late by as much on a busy machine, and is named then too.
            let isNamed = errors.contains {
                $0.contains(
                    "switchyard observe (\(stopped.processIdentifier)) has read nothing for 20s")
            }
            #expect(isNamed, "\(errors)")
            #expect(await observer.end() == 0)
            #expect(observer.output.lines.count == 1_200)
        }
    }
}
#endif
