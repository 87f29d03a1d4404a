// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `switchyard observe --exec`.
    @Suite struct ObserveExec {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test
        func `A command runs for each notification, in order, one at a time, and is told which`()
            async throws
        {
            let observer = try ToolProcess(
                "observe", "--count", "3", "--exec",
                #"echo "$SWITCHYARD_NAME,${SWITCHYARD_OBJECT-none},$SWITCHYARD_SENDER_PID"; cat"#,
                in: folder)
            try await observer.ready()
            var expected: [String] = []
            for (name, arguments) in [
                ("A", ["--object", "x y"]), ("B", []), ("C", ["--object", ""]),
            ] {
                let posted = try await run(["post", name] + arguments, in: folder)
                let pid = posted.processIdentifier
                let about = arguments.last
                expected.append("\(name),\(about ?? "none"),\(pid)")
                expected.append(
                    #"{"name":"\#(name)","# + (about.map { #""object":"\#($0)","# } ?? "")
                        + #""sender":{"process":"switchyard post","pid":\#(pid)},"sequence":1}"#)
            }
            #expect(await observer.end() == 0)
            #expect(await observer.output.all() == expected)
            #expect(
                await observer.errors.all().last
                    == "received: 3, run: 3, not run: 0, failed: 0, lost: 0")
        }

        @Test func `A command that fails is reported, and the others still run`() async throws {
            let observer = try ToolProcess(
                "observe", "--count", "3", "--exec",
                #"case $SWITCHYARD_NAME in A) exit 3;; B) kill -9 $$;; esac; echo "$SWITCHYARD_NAME""#,
                in: folder)
            try await observer.ready()
            for name in ["A", "B", "C"] { try await run("post", name, in: folder) }
            #expect(await observer.end() == 1)
            #expect(await observer.output.all() == ["C"])
            #expect(
                await observer.errors.all().dropFirst() == [
                    #"switchyard observe: the command for "A" failed with status 3"#,
                    #"switchyard observe: the command for "B" was ended by signal 9"#,
                    "received: 3, run: 3, not run: 0, failed: 2, lost: 0",
                    "switchyard observe: 2 of 3 commands failed",
                ])
        }

        @Test func `A process that has its count is no hearer, although its command still runs`()
            async throws
        {
            let go = folder.path + "/go"
            let observer = try ToolProcess(
                "observe", "X", "--count", "1", "--exec",
                "echo began; until [ -e '\(go)' ]; do sleep 0.1; done", in: folder)
            try await observer.ready()
            #expect(try await run("post", "X", "--strict", in: folder).status == 0)
            #expect(await observer.output.next() == "began")
            // The process stops observing a moment after it has taken the notification.
            while try await run("post", "X", "--strict", in: folder).status != 1 {}
            #expect(FileManager.default.createFile(atPath: go, contents: nil))
            #expect(await observer.end() == 0)
        }

        @Test func `SIGTERM ends a command that has stopped`() async throws {
            let observer = try ToolProcess(
                "observe", "X", "--exec", "echo $$; kill -STOP $$", in: folder)
            try await observer.ready()
            try await run("post", "X", in: folder)
            let command = try #require(await observer.output.next().flatMap { Int32($0) })
            await until {
                let status = try? String(contentsOfFile: "/proc/\(command)/stat", encoding: .utf8)
                return status?.contains(") T ") ?? true
            }
            observer.send(SIGTERM)
            _ = await observer.end()
            #expect(kill(command, 0) == -1)
        }

        @Test func `A command that does not read its input holds nothing up`() async throws {
            let observer = try ToolProcess(
                "observe", "--count", "2", "--exec", "echo run", in: folder)
            try await observer.ready()
            let big = String(repeating: "x", count: 1 << 20)
            try await run("post", "L", "--lines", in: folder, input: "\(big)\n\(big)\n")
            #expect(await observer.end() == 0)
            #expect(await observer.output.all() == ["run", "run"])
        }

        /// Starts an observer whose command has begun for the first of three notifications; the two
        /// others wait.
        private func observer(of command: String) async throws -> (ToolProcess, ToolProcess) {
            let observer = try ToolProcess("observe", "L", "--exec", command, in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", in: folder)
            poster.write("one\ntwo\nthree\n")
            #expect(await observer.output.next() == "began")
            while true {
                let peers = try await run("peers", "--json", in: folder).output
                if peers.contains(where: { $0.contains(#""received":3"#) }) { break }
            }
            return (observer, poster)
        }

        private static let left =
            "switchyard observe: ending: 2 commands to be run; Ctrl-C gives up"

        @Test func `Ctrl-C ends the receiving, and commands for received notifications still run`()
            async throws
        {
            let gate = folder.path + "/gate"
            try #require(mkfifo(gate, 0o600) == 0)
            let (observer, poster) = try await observer(of: "echo began; cat '\(gate)'")
            observer.send(SIGINT)
            #expect(await observer.errors.next() == Self.left)
            poster.write("four\n")
            poster.closeInput()
            #expect(await poster.end() == 0)
            for number in 1...3 {
                let opener = try ToolProcess(script: "echo \(number) >'\(gate)'", in: folder)
                #expect(await opener.end() == 0)
                // The reader of a line has to end before the next line is written: it would read
                // that one too.
                #expect(await observer.output.next() == "\(number)")
                #expect(await observer.output.next() == (number < 3 ? "began" : nil))
            }
            #expect(await observer.end() == 0)
            #expect(
                await observer.errors.all().last
                    == "received: 3, run: 3, not run: 0, failed: 0, lost: 0")
        }

        @Test func `A second Ctrl-C drops the waiting commands, and counts them`() async throws {
            let (observer, poster) = try await observer(of: "echo began; exec sleep 1000")
            observer.send(SIGINT)
            #expect(await observer.errors.next() == Self.left)
            observer.send(SIGINT)
            #expect(await observer.end() == 1)
            let last = await observer.errors.all().suffix(2)
            // The poster lives until here: a poster that is killed before may have posted more.
            withExtendedLifetime(poster) {}
            #expect(
                last == [
                    "received: 3, run: 1, not run: 2, failed: 0, lost: 0",
                    "switchyard observe: 2 commands not run",
                ])
        }

        @Test func `SIGTERM ends the command that runs, and those that wait are not run`()
            async throws
        {
            let (observer, poster) = try await observer(of: "echo began; exec sleep 1000")
            observer.send(SIGTERM)
            #expect(await observer.end() == 1)
            let last = await observer.errors.all().suffix(2)
            withExtendedLifetime(poster) {}
            #expect(
                last == [
                    "received: 3, run: 1, not run: 2, failed: 0, lost: 0",
                    "switchyard observe: 2 commands not run",
                ])
        }

        @Test func `SIGTERM ends it although a child of the command keeps the input open`()
            async throws
        {
            // The child keeps nothing else open: the test's own pipes would not come to their end.
            let keep = "import os, time; os.closerange(4, 1024); time.sleep(1000)"
            let observer = try ToolProcess(
                "observe", "L", "--exec",
                "exec 3<&0; python3 -c '\(keep)' 3<&3 >/dev/null 2>&1 & echo $!; wait", in: folder)
            try await observer.ready()
            let big = String(repeating: "x", count: 1 << 20)
            try await run("post", "L", "--lines", in: folder, input: "\(big)\n")
            let child = try #require(await observer.output.next().flatMap { Int32($0) })
            defer { kill(child, SIGKILL) }
            observer.send(SIGTERM)
            _ = await observer.end()
            #expect(
                await observer.errors.all().last
                    == "received: 1, run: 1, not run: 0, failed: 0, lost: 0")
        }

        @Test(arguments: ["TERM", "INT"])
        func `A command that a signal ends before it reaches the observer has not failed`(
            signal: String
        ) async throws {
            let observer = try ToolProcess(
                "observe", "L", "--exec",
                "(sleep 0.05; kill -\(signal) $PPID) & kill -\(signal) $$",
                in: folder)
            try await observer.ready()
            try await run("post", "L", in: folder)
            #expect(await observer.end() == 0)
            #expect(
                await observer.errors.all().last
                    == "received: 1, run: 1, not run: 0, failed: 0, lost: 0")
        }

        @Test func `Commands for received notifications still run when the time is over`()
            async throws
        {
            let observer = try ToolProcess(
                "observe", "--for", "500ms", "--exec", "sleep 0.05", in: folder)
            try await observer.ready()
            let lines = String(repeating: "line\n", count: 30)
            try await run("post", "L", "--lines", in: folder, input: lines)
            #expect(await observer.end() == 0)
            let summary = try #require(await observer.errors.all().last)
            let counts = summary.split { !$0.isNumber }.compactMap { Int($0) }
            try #require(counts.count == 5)
            #expect(counts == [counts[0], counts[0], 0, 0, 0], "\(summary)")
        }

        @Test func `A command has variables that are not UTF-8 as they are, and no old ones`()
            async throws
        {
            let script = #"""
                export BYTES="$(printf 'a\377b')" SWITCHYARD_NAME=old SWITCHYARD_OBJECT=old
                exec "$switchyard" observe --count 1 --exec \
                    'printf %s "$BYTES" | od -An -tx1; echo "$SWITCHYARD_NAME,${SWITCHYARD_OBJECT-none}"'
                """#
            let observer = try ToolProcess(script: script, in: folder)
            try await observer.ready()
            try await run("post", "A", in: folder)
            #expect(await observer.end() == 0)
            #expect(await observer.output.all() == [" 61 ff 62", "A,none"])
        }

        @Test func `A command has the signals of any other program`() async throws {
            let observer = try ToolProcess(
                "observe", "--count", "1", "--exec",
                #"yes | head -n 1; awk '/Sig(Blk|Ign)/ { print $2 }' /proc/self/status"#, in: folder
            )
            try await observer.ready()
            try await run("post", "A", in: folder)
            #expect(await observer.end() == 0)
            let output = await observer.output.all()
            #expect(output.first == "y")
            let sets = output.dropFirst().compactMap { UInt64($0, radix: 16) }
            try #require(sets.count == 2)
            #expect(sets[0] == 0, "blocked")
            #expect(sets[1] & 1 << (UInt64(SIGPIPE) - 1) == 0, "ignored")
        }
    }
}
