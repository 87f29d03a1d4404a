// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// `switchyard tail --post`, and what all commands have.
    @Suite struct TailPostAndHelp {
        private let folder: RuntimeFolder

        init() throws { folder = try RuntimeFolder() }

        @Test func `tail --post posts the lines that it prints, about their file`() async throws {
            let file = folder.path + "/some.log"
            try "zero\none\ntwo\nthree\n".write(toFile: file, atomically: true, encoding: .utf8)
            let observer = try ToolProcess(
                "observe", "Line", "--object", file, "--json", "--count", "2", in: folder)
            try await observer.ready()
            let tail = try await run(
                "tail", "--post", "Line", "--lines", "3", "--count", "2", file, in: folder)
            #expect(tail.status == 0)
            #expect(tail.output == ["\(file): one", "\(file): two"])
            for line in ["one", "two"] {
                let info = try object(await observer.output.next())["userInfo"] as? [String: String]
                #expect(info == ["file": file, "line": line])
            }
            #expect(await observer.end() == 0)
        }

        @Test
        func `tail --post also posts the lines that are there at the start, unless --lines is 0`()
            async throws
        {
            let help = try await run("tail", "--help", in: folder).output.joined(separator: " ")
            #expect(
                help.split(separator: " ").joined(separator: " ")
                    .contains("--lines 0 posts new lines only"))
            let file = folder.path + "/some.log"
            try "old\n".write(toFile: file, atomically: true, encoding: .utf8)
            let observer = try ToolProcess("observe", "Line", "--count", "1", "--json", in: folder)
            try await observer.ready()
            let tail = try ToolProcess("tail", "--post", "Line", "--lines", "0", file, in: folder)
            let log = try #require(FileHandle(forWritingAtPath: file))
            log.seekToEndOfFile()
            // What is appended before it has opened the file is not new to it.
            while observer.output.lines.isEmpty {
                log.write(Data("new\n".utf8))
                try await run("peers", in: folder)
            }
            tail.send(SIGTERM)
            #expect(await tail.end() == 0)
            let info = try object(await observer.output.next())["userInfo"] as? [String: String]
            #expect(info == ["file": file, "line": "new"])
        }

        @Test func `tail takes times as before and as elsewhere, and prints JSON as before`()
            async throws
        {
            let file = folder.path + "/some.log"
            try Data("a\"\u{FF}\n".unicodeScalars.map { UInt8($0.value) })
                .write(to: URL(fileURLWithPath: file))
            for limit in ["0.2", "200ms"] {
                let tail = try await run("tail", "--json", "--for", limit, file, in: folder)
                #expect(tail.status == 0)
                #expect(
                    tail.output == [
                        #"{"file":"\#(file)","line":"a\"\#u{FFFD}","lineBase64":"YSL/"}"#
                    ])
            }
        }

        @Test func `tail ends when its output can't be written, and counts nothing as printed`()
            async throws
        {
            let file = folder.path + "/some.log"
            try "one\ntwo\n".write(toFile: file, atomically: true, encoding: .utf8)
            let tail = try ToolProcess(
                script: #"exec "$switchyard" tail >/dev/full "\#(file)""#, in: folder)
            #expect(await tail.end() == 1)
            let errors = await tail.errors.all()
            // How far the reader gets until then is not the same each time.
            #expect(errors.dropLast().last?.contains(", printed: 0, lost: 0") == true)
            #expect(
                errors.last
                    == "switchyard tail: cannot write to standard output: No space left on device")
        }

        @Test func `Every command has examples in its help, and shells get completions`()
            async throws
        {
            for command in ["post", "observe", "peers", "ping", "tail"] {
                let help = try await run(command, "--help", in: folder)
                #expect(help.status == 0)
                #expect(help.output.contains { $0.hasPrefix("  switchyard \(command)") })
                #expect(help.output.contains("EXIT STATUS"))
            }
            for shell in ["bash", "zsh", "fish"] {
                let script = try await run("--generate-completion-script", shell, in: folder)
                #expect(script.status == 0)
                #expect(script.output.contains { $0.contains("observe") })
            }
        }
    }
}
