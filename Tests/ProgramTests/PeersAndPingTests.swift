// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// `switchyard peers` and `switchyard ping`.
    @Suite struct PeersAndPing {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test func `peers lists processes, what they observe, and what they posted to whom`()
            async throws
        {
            let observer = try ToolProcess("observe", "A", "B", "--object", "x", in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "A", "--object", "x", "--lines", in: folder)
            poster.write("one\ntwo\n")
            for _ in 0..<2 { _ = try #require(await observer.output.next()) }
            let text = try await run("peers", in: folder)
            #expect(text.status == 0)
            #expect(
                Set(text.output) == [
                    "switchyard observe (\(observer.processIdentifier))",
                    #"  observes: "A" about "x", "B" about "x""#,
                    "  with switchyard post (\(poster.processIdentifier)): 0 sent, 0 lost, 0 bytes wait, "
                        + "2 received, 0 missed",
                    "switchyard post (\(poster.processIdentifier))",
                    "  observes: nothing",
                    "  with switchyard observe (\(observer.processIdentifier)): 2 sent, 0 lost, 0 bytes wait, "
                        + "0 received, 0 missed",
                ])
            let lines = try await run("peers", "--json", in: folder)
            let objects = try lines.output.map { try object($0) }
            #expect(objects.map { $0["answers"] as? Bool } == [true, true])
            let sent = objects.compactMap {
                ($0["peers"] as? [[String: Any]])?.first?["sent"] as? Int
            }
            #expect(sent.sorted() == [0, 2])
        }

        @Test
        func `peers lists processes that do not answer under the names that the system gives them`()
            async throws
        {
            let observer = try ToolProcess("observe", "A", in: folder)
            try await observer.ready()
            observer.stop()
            let peers = try await run("peers", "--within", "100ms", in: folder)
            #expect(peers.status == 0)
            #expect(
                peers.output == [
                    "switchyard observe (\(observer.processIdentifier))",
                    "  observes: it has not said",
                    "  does not answer",
                ])
        }

        @Test(.enabled(if: pythonInterpreter != nil))
        func `peers waits for a process that is slow to say what it observes`() async throws {
            let modules = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
                url.deletingLastPathComponent()
            }.appendingPathComponent("Examples/Peers/python").path
            // A process with very many observers takes as long.
            let script = """
                import asyncio, switchyard_peer
                class Late(switchyard_peer.Peer):
                    def take_hello(self, connection, hello):
                        write, loop = connection.write, asyncio.get_running_loop()
                        connection.write = lambda data: loop.call_later(
                            0 if data == self.hello.frame() else 0.3, write, data)
                        super().take_hello(connection, hello)
                        connection.write = write
                async def main():
                    async with Late(name="late") as peer:
                        peer.observe(lambda note: None, "A")
                        print("ready", flush=True)
                        await asyncio.sleep(300)
                asyncio.run(main())
                """
            let python = "export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(modules)'; exec python3"
            let late = try ToolProcess(script: "\(python) - <<'END'\n\(script)\nEND", in: folder)
            _ = try #require(await late.output.next { $0 == "ready" })
            let peers = try await run("peers", "--within", "5s", in: folder)
            #expect(peers.status == 0)
            #expect(peers.output.first?.hasPrefix("late (") == true)
            #expect(peers.output.dropFirst().first == #"  observes: "A""#)
            withExtendedLifetime(late) {}
        }

        @Test func `peers says that no process is there, and ping fails`() async throws {
            let peers = try await run("peers", "--domain", "empty", in: folder)
            #expect(peers.status == 0)
            #expect(
                peers.errors
                    == [#"switchyard peers: there is no other process in the domain "empty""#])
            let ping = try await run("ping", in: folder)
            #expect(ping.status == 1)
            #expect(
                ping.errors
                    == [#"switchyard ping: there is no other process in the domain "default""#])
        }

        @Test func `ping asks all processes, or the ones named by number, name, or its first word`()
            async throws
        {
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            let title = "switchyard observe (\(observer.processIdentifier)): "
            for arguments in [
                [], ["switchyard"], ["switchyard observe"], ["\(observer.processIdentifier)"],
            ] {
                let ping = try await run(["ping"] + arguments, in: folder)
                #expect(ping.status == 0)
                #expect(ping.output.count == 1)
                #expect(ping.output.first?.hasPrefix(title) == true)
            }
            let many = try await run("ping", "--count", "100", in: folder)
            #expect(many.output.first?.hasSuffix(", 100 times)") == true)
            let json = try await run("ping", "--count", "3", "--json", in: folder)
            #expect(try object(json.output.first)["count"] as? Int == 3)
        }

        @Test(arguments: [false, true])
        func `Ctrl-C ends ping with the answers until then`(_ asJSON: Bool) async throws {
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            // The test names the observer by its number: the processes that look for it below come
            // and go.
            let arguments =
                ["ping", "\(observer.processIdentifier)", "--count", "1000000000"]
                + (asJSON ? ["--json"] : [])
            // A ping may end before the first answer, and is tried once more then.
            while true {
                let ping = try ToolProcess(arguments, in: folder)
                var isThere = false
                while !isThere {
                    let peers = try await run("peers", "--json", in: folder).output
                    isThere = peers.contains { $0.contains("\"pid\":\(ping.processIdentifier),") }
                }
                ping.send(SIGINT)
                let status = await ping.end()
                let output = await ping.output.all()
                #expect(status == (output.isEmpty ? 1 : 0))
                guard let line = output.first else { continue }
                #expect(output.count == 1)
                if asJSON {
                    #expect(try #require(try object(line)["count"] as? Int) > 0)
                } else {
                    #expect(line.hasPrefix("switchyard observe (\(observer.processIdentifier)): "))
                    #expect(line.hasSuffix(" of 1000000000 times)"))
                }
                return
            }
        }

        @Test func `Ctrl-C ends ping also while it waits, and without an answer it fails`()
            async throws
        {
            let stopped = try ToolProcess("observe", in: folder)
            try await stopped.ready()
            stopped.stop()
            let ping = try ToolProcess("ping", "--within", "1h", in: folder)
            while true {
                let peers = try await run("peers", "--json", "--within", "10ms", in: folder).output
                if peers.contains(where: { $0.contains("switchyard ping") }) { break }
            }
            ping.send(SIGINT)
            #expect(await ping.end() == 1)
            #expect(
                await ping.errors.all()
                    == ["switchyard ping: it was ended before any process was asked"])
        }

        @Test func `Ctrl-C ends peers, and no process counts a loss`() async throws {
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            let stopped = try ToolProcess("observe", in: folder)
            try await stopped.ready()
            stopped.stop()
            let peers = try ToolProcess("peers", "--within", "1h", in: folder)
            while true {
                let others = try await run("peers", "--json", "--within", "10ms", in: folder).output
                if others.contains(where: { $0.contains("\"pid\":\(peers.processIdentifier),") }) {
                    break
                }
            }
            peers.send(SIGTERM)
            #expect(await peers.end() == 1)
            #expect(
                await peers.errors.all()
                    == ["switchyard peers: it was ended before the processes had answered"])
            observer.send(SIGINT)
            #expect(await observer.end() == 0)
            #expect(await observer.errors.all().last == "received: 0, printed: 0, lost: 0")
        }

        @Test func `ping names processes that do not answer or are not there, and fails`()
            async throws
        {
            let stopped = try ToolProcess("observe", in: folder)
            try await stopped.ready()
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            stopped.stop()
            let ping = try await run("ping", "--within", "200ms", in: folder)
            #expect(ping.status == 1)
            #expect(ping.output.count == 1)
            #expect(
                ping.errors == [
                    "switchyard ping: switchyard observe (\(stopped.processIdentifier)) did not answer "
                        + "within 200ms"
                ])
            stopped.send(SIGCONT)
            let absent = try await run("ping", "nobody", in: folder)
            #expect(absent.status == 1)
            #expect(
                absent.errors
                    == [#"switchyard ping: there is no process 'nobody' in the domain "default""#])
        }
    }
}
