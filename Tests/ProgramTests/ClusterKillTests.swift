// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import TestSupport
import Testing

extension ProgramTests {
    /// Processes on a cluster that are killed or stopped while others post and observe.
    @Suite struct ClusterKills {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        private func start(_ arguments: String..., on server: Server) throws -> ToolProcess {
            try ToolProcess(arguments + ["--nats", server.url], in: folder)
        }

        /// The lines that came from a process, of what `observe` printed.
        private func lines(_ output: [String], from process: ToolProcess) throws -> [String] {
            try output.map { try object($0) }.filter { line in
                let sender = line["sender"] as? [String: Any]
                return sender?["pid"] as? Int == Int(process.processIdentifier)
            }.map { ($0["userInfo"] as? [String: Any])?["line"] as? String ?? "" }
        }

        @Test(.rule(40))
        func `Processes of a cluster hear all posts of the living, whoever is killed and whenever`()
            async throws
        {
            let server = try Server()
            let observer = try start("observe", "L", "--json", on: server)
            try await observer.ready()
            let poster = try start("post", "L", "--lines", on: server)
            var random = SystemRandomNumberGenerator()
            let (rounds, count) = (12, 500)
            for round in 0..<rounds {
                let victims = [
                    try start("post", "L", "--lines", on: server),
                    try start("observe", "--json", on: server),
                ]
                if Bool.random() { try await victims[1].ready() }
                let text = (0..<count).map { "\(round * count + $0)\n" }.joined()
                async let written: Void = poster.writeAll(text)
                async let alsoWritten: Void = victims[0].writeAll(text)
                let moment = round * count + Int.random(in: 0..<count, using: &random)
                _ = try #require(
                    await observer.output.next {
                        $0.contains(#""line":"\#(moment)""#)
                            && $0.contains(#""pid":\#(poster.processIdentifier)}"#)
                    })
                for victim in victims { victim.send(SIGKILL) }
                _ = await (written, alsoWritten)
                let whole = (0..<count).map { "\(round * count + $0)" }
                for victim in victims { _ = await victim.end() }
                let heard = try lines(observer.output.lines, from: victims[0])
                #expect(heard == Array(whole.prefix(heard.count)))
            }
            poster.closeInput()
            #expect(await poster.end() == 0)
            let last = "\(rounds * count - 1)"
            _ = await observer.output.next {
                $0.contains(#""line":"\#(last)""#)
                    && $0.contains(#""pid":\#(poster.processIdentifier)}"#)
            }
            observer.send(SIGINT)
            _ = await observer.end()
            let heard = try lines(await observer.output.all(), from: poster)
            #expect(heard == (0..<rounds * count).map { "\($0)" })
            #expect(observer.errors.lines.last?.hasSuffix("lost: 0") == true)
        }

        @Test(.rule(40))
        func `A process that does not read is cut off, and counts the notifications it missed`()
            async throws
        {
            let server = try Server(
                configuration: "max_pending: 2000000\nwrite_deadline: \"500ms\"\n")
            let (observer, slow) = (
                try start("observe", "L", "--json", on: server),
                try start("observe", "L", "--json", on: server)
            )
            try await observer.ready()
            try await slow.ready()
            slow.stop()
            let poster = try start("post", "L", "--lines", on: server)
            // The posts are more than the server and the sockets on the way hold.
            let padding = String(repeating: "x", count: 20_000)
            let (count, block) = (2_000, 20)
            for start in stride(from: 0, to: count, by: block) {
                let lines = (start..<start + block).map { "\($0) \(padding)\n" }
                await poster.writeAll(lines.joined())
                // The observer that reads must not be cut off.
                _ = try #require(
                    await observer.output.next {
                        $0.contains(#""line":"\#(start + block - 1) x"#)
                    })
            }
            slow.send(SIGCONT)
            _ = try #require(await slow.errors.next { $0.contains("again") })
            let process = "\(slow.processIdentifier)"
            let ping = try await run(
                "ping", process, "--nats", server.url, "--within", "30s", in: folder)
            #expect(ping.status == 0)
            poster.write("last\n")
            for process in [observer, slow] {
                _ = try #require(await process.output.next { $0.contains(#""line":"last""#) })
                process.send(SIGINT)
                #expect(await process.end() == 0)
            }
            #expect(
                observer.errors.lines.last
                    == "received: \(count + 1), printed: \(count + 1), lost: 0")
            let numbers = (slow.errors.lines.last ?? "").split { !$0.isNumber }
                .compactMap { Int($0) }
            #expect(numbers.count == 3 && numbers[0] + numbers[2] == count + 1)
            #expect(numbers.last != 0)
        }
    }
}
#endif
