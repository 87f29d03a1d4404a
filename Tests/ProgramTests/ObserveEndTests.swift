// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// The end of `switchyard observe`, and its exit status.
    @Suite struct ObserveEnds {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `A signal ends observe in order, with a summary`(_ signal: Int32) async throws {
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            try await run("post", "X", in: folder)
            _ = try #require(await observer.output.next())
            observer.send(signal)
            #expect(await observer.end() == 0)
            #expect(await observer.errors.all().last == "received: 1, printed: 1, lost: 0")
        }

        @Test(arguments: [SIGHUP, SIGTERM])
        func `A further SIGHUP does not keep observe from ending in order`(
            _ first: Int32
        ) async throws {
            for _ in 0..<10 {
                let observer = try ToolProcess("observe", in: folder)
                try await observer.ready()
                observer.send(first)
                for _ in 0..<20 { observer.send(SIGHUP) }
                #expect(await observer.end() == 0)
                #expect(await observer.errors.all().last == "received: 0, printed: 0, lost: 0")
            }
        }

        @Test(arguments: ["observe", "observe --json", "observe --quiet"])
        func `A terminal that vanishes ends observe in order`(_ arguments: String) async throws {
            // Without a word on the terminal, the other process shows that the observer is ready.
            let script = """
                import os, pty, signal, subprocess, sys
                tool = os.environ["switchyard"]
                for _ in range(5):
                    process, terminal = pty.fork()
                    if process == 0:
                        signal.pthread_sigmask(signal.SIG_SETMASK, [])
                        os.execv(tool, [tool] + sys.argv[1:])
                    while b'"observes":[{}]' not in subprocess.run(
                        [tool, "peers", "--json"], stdin=subprocess.DEVNULL, capture_output=True
                    ).stdout: pass
                    os.close(terminal)
                    os.kill(process, signal.SIGHUP)
                    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
                """
            let python = try ToolProcess(
                script: "exec python3 - \(arguments) <<'END'\n\(script)\nEND", in: folder)
            #expect(await python.end() == 0)
            #expect(await python.output.all() == ["0", "0", "0", "0", "0"])
        }

        @Test(
            arguments: ["observe", "post X", "peers", "ping"], [6, 10, 12, 19])
        func `A command with too few open files says so, and does not crash`(
            _ command: String, limit: Int
        ) async throws {
            let tool = try ToolProcess(
                script: #"ulimit -n \#(limit); exec "$switchyard" "# + command, in: folder)
            #expect(await tool.end() == 1)
            #expect(await tool.errors.all().contains { $0.contains("ulimit -n") })
        }

        @Test func `Texts of other processes can't pass for the tool's own`() async throws {
            let observer = try ToolProcess("observe", in: folder)
            try await observer.ready()
            let script = """
                import os, socket, struct
                place = os.environ["SWITCHYARD_RUNTIME_DIR"] + "/switchyard/default/"
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(place + [name for name in os.listdir(place) if name[0] != "."][0])
                def text(words): return struct.pack("<H", len(words)) + words.encode()
                def frame(kind, body): return struct.pack("<IB", len(body) + 1, kind) + body
                hello = b"SWITCHYD" + bytes([1, 1, 0, 0]) + bytes(16) + bytes(4)
                peer.sendall(frame(1, hello + text("x\\ny") + text("") + text("default")))
                peer.recv(1)
                peer.sendall(frame(2, text("a\\nswitchyard observe: ready\\x1b[2J")))
                peer.recv(1000)
                """
            let peer = try ToolProcess(script: "exec python3 - <<'END'\n\(script)\nEND", in: folder)
            let said = try #require(
                await observer.errors.next { $0.contains("ended the connection") })
            #expect(said.hasPrefix(#"switchyard observe: x\ny ("#))
            #expect(said.hasSuffix(#"a\nswitchyard observe: ready\u001b[2J"#))
            #expect(await peer.end() == 0)
        }

        @Test func `The folder and the socket are the user's own, whatever the umask is`()
            async throws
        {
            let observer = try ToolProcess(
                script: #"umask 777; exec "$switchyard" observe"#, in: folder)
            try await observer.ready()
            let files = FileManager.default
            let domain = folder.path + "/switchyard/default"
            let socket = try #require(try files.contentsOfDirectory(atPath: domain).first)
            let modes = try [folder.path + "/switchyard", domain, "\(domain)/\(socket)"].map {
                try files.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
            }
            #expect(modes == [0o700, 0o700, 0o600])
        }

        @Test
        func `observe says that it is ready, and with how many processes; --quiet says nothing`()
            async throws
        {
            let first = try ToolProcess("observe", "--count", "1", in: folder)
            #expect(
                await first.errors.next()
                    == "switchyard observe: ready, with 0 other processes")
            let second = try ToolProcess("observe", "Other", in: folder)
            #expect(
                await second.errors.next()
                    == "switchyard observe: ready, with 1 other process")
            let quiet = try ToolProcess("observe", "X", "--count", "1", "--quiet", in: folder)
            // `peers` shows when the observer is ready, since a quiet observer does not say so.
            while true {
                let peers = try await run("peers", "--json", in: folder).output
                if peers.contains(where: { $0.contains(#""observes":[{"name":"X"}]"#) }) { break }
            }
            try await run("post", "X", in: folder)
            #expect(await quiet.end() == 0)
            #expect(await quiet.output.all().count == 1)
            #expect(await quiet.errors.all().isEmpty)
        }

        @Test func `--for ends observe with success, unless --count was not reached`() async throws
        {
            #expect(try await run("observe", "--for", "1ms", in: folder).status == 0)
            #expect(
                try await run("observe", "--for", "1ms", "--count", "1", in: folder).status == 1)
        }

        @Test(arguments: [SIGINT, SIGTERM, nil], ["", "--count 1500"])
        func `Lines that nobody reads do not keep observe from its end, and count as not printed`(
            _ signal: Int32?, count: String
        ) async throws {
            let fifo = folder.path + "/fifo"
            try #require(mkfifo(fifo, 0o600) == 0)
            // Read and written, so that it is there before the observer, and stays.
            let pipe = open(fifo, O_RDWR | O_NONBLOCK)
            try #require(pipe >= 0)
            defer { close(pipe) }
            // With a count, long enough that it is reached before.
            let limit = signal == nil ? count.isEmpty ? "--for 3s" : "--for 20s" : ""
            let observer = try ToolProcess(
                script: #"exec "$switchyard" observe L \#(limit) \#(count) >"\#(fifo)""#, in: folder
            )
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", in: folder)
            let line = String(repeating: "x", count: 200) + "\n"
            await poster.writeAll(String(repeating: line, count: 2000))
            poster.closeInput()
            // By then, the count is reached.
            if !count.isEmpty { #expect(await poster.end() == 0) }
            if let signal {
                var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
                #expect(await until { poll(&room, 1, 0) == 0 })
                observer.send(signal)
            }
            #expect(await observer.end() == 0)
            let printed = Self.readAll(of: pipe).count { $0 == UInt8(ascii: "\n") }
            let summary = try #require(await observer.errors.all().last)
            let numbers = summary.split { !$0.isNumber }.compactMap { Int($0) }
            #expect(numbers.count == 3)
            #expect(numbers.dropFirst().first == printed, "\(summary)")
        }

        /// The bytes that a pipe has, without waiting for more.
        private static func readAll(of pipe: Int32) -> [UInt8] {
            var all: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(pipe, &part, part.count)
                if count <= 0 { return all }
                all += part[..<count]
            }
        }

        @Test func `A closed output ends the command quietly`() async throws {
            let pipeline = try ToolProcess(
                script: #"("$switchyard" observe; echo "status $?" >&2) | head -n 1"#, in: folder)
            try await pipeline.ready()
            try await run("post", "X", in: folder)
            #expect(await pipeline.output.next()?.hasPrefix("X from") == true)
            #expect(await pipeline.errors.next() == "status 0")
            #expect(await pipeline.end() == 0)
        }

        @Test func `A closed output ends the command also when nothing comes`() async throws {
            let pipeline = try ToolProcess(
                script: #"("$switchyard" observe --quiet; echo "status $?" >&2) | :"#, in: folder)
            #expect(await pipeline.errors.all() == ["status 0"])
        }

        @Test(arguments: [
            (">/dev/full", "No space left on device"),
            (">/dev/full --count 1", "No space left on device"),
            (">/dev/full --count 3", "No space left on device"),
            // Both descriptors are closed, so no other file gets the number of the output.
            (">&- <&- --count 1", "Bad file descriptor"),
        ])
        func `Output that can't be written is an error at once, and counts as not printed`(
            _ arguments: String, failure: String
        ) async throws {
            let observer = try ToolProcess(
                script: #"exec "$switchyard" observe "# + arguments, in: folder)
            try await observer.ready()
            try await run("post", "X", in: folder)
            #expect(await observer.end() == 1)
            #expect(
                await observer.errors.all().suffix(2) == [
                    "received: 1, printed: 0, lost: 0",
                    "switchyard observe: cannot write to standard output: \(failure)",
                ])
        }

        @Test(arguments: ["--help", "--version", "--generate-completion-script bash"])
        func `Help and version are written, or end with an error`(
            _ arguments: String
        ) async throws {
            let tool = try ToolProcess(
                script: #"exec "$switchyard" >/dev/full "# + arguments, in: folder)
            #expect(await tool.end() == 1)
            #expect(
                await tool.errors.all() == [
                    "switchyard: cannot write to standard output: No space left on device"
                ])
        }

        @Test func `Poster and observer report a loss, and the summary has it`() async throws {
            let observer = try ToolProcess(
                script: #"exec "$switchyard" observe L >/dev/null"#, in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", "--within", "100ms", in: folder)
            poster.write("begin\n")
            while true {
                let peers = try await run("peers", "--json", in: folder).output
                if peers.contains(where: { $0.contains(#""received":1"#) }) { break }
            }
            observer.stop()
            // The posts are more than may wait for a process: 64 MiB.
            let line = String(repeating: "x", count: 1 << 20) + "\n"
            await poster.writeAll(String(repeating: line, count: 80))
            let given = try #require(await poster.errors.next { $0.contains("may lose") })
            #expect(given.contains("(\(observer.processIdentifier)) has read nothing for 100ms"))
            _ = try #require(await poster.errors.next { $0.contains("does not read") })
            observer.send(SIGCONT)
            let loss = try #require(await observer.errors.next { $0.contains("were lost") })
            let lost = try #require(loss.split(separator: " ").compactMap { Int($0) }.first)
            poster.closeInput()
            #expect(await poster.end() == 1)
            observer.send(SIGINT)
            #expect(await observer.end() == 0)
            let summary = await observer.errors.all().last
            #expect(summary == "received: \(81 - lost), printed: \(81 - lost), lost: \(lost)")
        }

        @Test func `An argument that makes no sense is a usage error`() async throws {
            for arguments in [["--count", "0"], ["--for", "later"], ["--nonsense"]] {
                #expect(try await run(["observe"] + arguments, in: folder).status == 64)
            }
        }
    }
}
