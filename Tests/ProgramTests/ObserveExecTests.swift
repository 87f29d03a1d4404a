// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// `switchyard observe --exec`.
    @Suite struct ObserveExec {
        private let folder: RuntimeFolder

        init() throws { folder = try RuntimeFolder() }

        @Test func `A command runs for each, in order, one at a time, and knows what it is for`()
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
            #expect(await observer.errors.all().last == "received: 3, run: 3, failed: 0, lost: 0")
        }

        @Test func `A command that fails is told, and the others still run`() async throws {
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
                    "received: 3, run: 3, failed: 2, lost: 0",
                    "switchyard observe: 2 of 3 commands failed",
                ])
        }

        @Test func `A command that does not read what it gets holds nothing up`() async throws {
            let observer = try ToolProcess(
                "observe", "--count", "2", "--exec", "echo run", in: folder)
            try await observer.ready()
            let big = String(repeating: "x", count: 1 << 20)
            try await run("post", "L", "--lines", in: folder, input: "\(big)\n\(big)\n")
            #expect(await observer.end() == 0)
            #expect(await observer.output.all() == ["run", "run"])
        }

        @Test func `SIGTERM ends the command that runs, and those that wait are not run`()
            async throws
        {
            let observer = try ToolProcess(
                "observe", "--exec", "echo began; exec sleep 1000", in: folder)
            try await observer.ready()
            try await run("post", "A", in: folder)
            try await run("post", "B", in: folder)
            #expect(await observer.output.next() == "began")
            observer.send(SIGTERM)
            #expect(await observer.end() == 0)
            let summary = try #require(await observer.errors.all().last)
            #expect(summary.hasSuffix("run: 1, failed: 0, lost: 0"))
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
