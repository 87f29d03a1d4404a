// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `switchyard post` and `switchyard observe`, each a process.
    @Suite struct PostAndObserve {
        /// The number of lines of a long pipe. ThreadSanitizer makes each take about fifty times as
        /// long.
        private static let lineCount = isThreadSanitized ? 10_000 : 100_000

        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test func `A post is printed with its object, values of each type, and its poster`()
            async throws
        {
            let observer = try ToolProcess("observe", "--json", "--count", "1", in: folder)
            try await observer.ready()
            let posted = try await run(
                "post", "Build", "--object", "app", "--info", "ok=true", "count=3", "ratio=2.5",
                "zip=007", #"version:="1.10""#, #"list:=[1,{"deep":false}]"#, "text=a=b", in: folder
            )
            #expect(posted.status == 0)
            #expect(posted.errors.isEmpty)
            let line = try #require(await observer.output.next())
            #expect(
                line
                    == #"{"name":"Build","object":"app","userInfo":{"count":3,"#
                    + #""list":[1,{"deep":false}],"ok":true,"ratio":2.5,"text":"a=b","#
                    + #""version":"1.10","zip":"007"},"sender":{"process":"switchyard post","pid":"#
                    + #"\#(posted.processIdentifier)},"sequence":1}"#)
            #expect(await observer.end() == 0)
        }

        @Test func `A line of text is one line, whatever the words are`() async throws {
            let observer = try ToolProcess("observe", "--count", "2", in: folder)
            try await observer.ready()
            let first = try await run(
                "post", "two\nlines", "--object", "\u{1B}[31m\u{9B}", "--json", #"{"a":"\u0007é"}"#,
                in: folder)
            let second = try await run("post", "plain", in: folder)
            #expect(
                await observer.output.all() == [
                    #""two\nlines" "\u001b[31m\u009b" {"a":"\u0007é"} "#
                        + "from switchyard post (\(first.processIdentifier))",
                    "plain from switchyard post (\(second.processIdentifier))",
                ])
        }

        @Test func `Names and the object select notifications, and each is printed once`()
            async throws
        {
            let observer = try ToolProcess(
                "observe", "A", "B", "A", "--object", "x", "--count", "3", "--json", in: folder)
            try await observer.ready()
            for arguments in [
                ["A", "--object", "x"], ["A", "--object", "y"], ["C", "--object", "x"], ["A"],
                ["B", "--object", "x"], ["A", "--object", "x"],
            ] {
                #expect(try await run(["post"] + arguments, in: folder).status == 0)
            }
            let names = try await observer.output.all().map { try object($0)["name"] as? String }
            #expect(names == ["A", "B", "A"])
        }

        @Test func `Domains do not hear each other`() async throws {
            let observer = try ToolProcess(
                "observe", "--domain", "one", "--count", "1", "--json", in: folder)
            try await observer.ready()
            try await run("post", "elsewhere", "--domain", "two", in: folder)
            try await run("post", "here", "--domain", "one", in: folder)
            #expect(try object(await observer.output.next())["name"] as? String == "here")
            #expect(await observer.end() == 0)
        }

        // MARK: - Lines

        @Test func `A line of standard input leaves when it comes, and the last needs no newline`()
            async throws
        {
            let observer = try ToolProcess("observe", "L", "--json", in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", "--info", "host=web", in: folder)
            for line in ["one", "", "three"] {
                poster.write(line + "\n")
                let info = try object(await observer.output.next())["userInfo"] as? [String: String]
                #expect(info == ["line": line, "host": "web"])
            }
            poster.write("last")
            poster.closeInput()
            let info = try object(await observer.output.next())["userInfo"] as? [String: String]
            #expect(info == ["line": "last", "host": "web"])
            #expect(await poster.end() == 0)
        }

        @Test func `Very many lines of a pipe arrive whole and in order`() async throws {
            let observer = try ToolProcess(
                "observe", "L", "--json", "--count", "\(Self.lineCount)", in: folder)
            try await observer.ready()
            let lines = (0..<Self.lineCount).map { "line \($0) of a pipe" }
            let posted = try await run(
                "post", "L", "--lines", in: folder, input: lines.joined(separator: "\n"))
            #expect(posted.status == 0)
            let arrived = await observer.output.all()
            #expect(arrived.count == lines.count)
            let isWhole = zip(arrived, lines).allSatisfy { $0.contains(#"{"line":"\#($1)"}"#) }
            #expect(isWhole)
            #expect(await observer.end() == 0)
            #expect(
                observer.errors.lines.last
                    == "received: \(lines.count), printed: \(lines.count), lost: 0")
        }

        @Test func `Bytes that are no UTF-8 are kept beside the line`() async throws {
            let observer = try ToolProcess("observe", "L", "--json", "--count", "1", in: folder)
            try await observer.ready()
            let poster = try ToolProcess(
                script: #"printf 'a\377\n' | "$switchyard" post L --lines"#, in: folder)
            #expect(await poster.end() == 0)
            let info = try object(await observer.output.next())["userInfo"] as? [String: String]
            #expect(info == ["line": "a\u{FFFD}", "lineData": "Yf8="])
        }

        @Test func `Lines of JSON become userInfo; other lines are named, and make post fail`()
            async throws
        {
            let observer = try ToolProcess("observe", "J", "--json", "--count", "2", in: folder)
            try await observer.ready()
            let posted = try await run(
                "post", "J", "--lines", "--json", "-", in: folder,
                input: """
                    {"n": 1, "s": "\\u00e9\\ud83d\\ude00"}
                    [1]

                    {"n": null}
                    {"n": 1, "n": 2}
                    {"n": 2}
                    """)
            #expect(posted.status == 1)
            #expect(
                posted.errors == [
                    "switchyard post: line 2 was not posted: it has to be an object, such as "
                        + #"{"n":1}, and is an array"#,
                    "switchyard post: line 4 was not posted: there is a null at byte 6, which a "
                        + "property list can't hold: leave it out",
                    "switchyard post: line 5 was not posted: the key at byte 9 is there twice",
                ])
            let arrived = await observer.output.all()
            #expect(arrived.first?.contains(#""userInfo":{"n":1,"s":"é😀"}"#) == true)
            #expect(arrived.last?.contains(#""userInfo":{"n":2}"#) == true)
        }

        @Test func `Standard input as a whole can be one object, and --info adds to it`()
            async throws
        {
            let observer = try ToolProcess("observe", "J", "--json", "--count", "1", in: folder)
            try await observer.ready()
            let posted = try await run(
                "post", "J", "--json", "-", "--info", "n=2", "m=3", in: folder,
                input: "{\n  \"n\": 1,\n  \"o\": {}\n}\n")
            #expect(posted.status == 0)
            let line = try #require(await observer.output.next())
            #expect(line.contains(#""userInfo":{"m":3,"n":2,"o":{}}"#))
        }

        @Test func `The value of --info is posted if --json has the same key`()
            async throws
        {
            let observer = try ToolProcess("observe", "J", "--json", "--count", "1", in: folder)
            try await observer.ready()
            try await run(
                "post", "J", "--json", #"{"n":1,"o":1e3}"#, "--info", "n=2", "m=1e3", in: folder)
            let line = try #require(await observer.output.next())
            #expect(line.contains(#""userInfo":{"m":1000.0,"n":2,"o":1000.0}"#))
            let help = try await run("post", "--help", in: folder).output.joined(separator: " ")
            let words = help.split(separator: " ").joined(separator: " ")
            #expect(words.contains("where both have a key, --info's value is posted"))
            #expect(words.contains("key:=JSON says exactly what it is"))
        }

        // MARK: - Obstacles

        @Test func `A post without anybody to hear it succeeds and says nothing`() async throws {
            let posted = try await run("post", "Nobody", in: folder)
            #expect(posted.status == 0)
            #expect(posted.errors.isEmpty)
        }

        @Test
        func
            `--verbose names the processes that heard a post, or says that none did`()
            async throws
        {
            let observer = try ToolProcess("observe", "A", "--object", "x", in: folder)
            try await observer.ready()
            let one = "(1 other process is there)"
            let none = "(0 other processes are there)"
            for (arguments, words) in [
                (
                    ["A", "--object", "x"],
                    "it went to switchyard observe (\(observer.processIdentifier))"
                ),
                (["B"], #"nobody observes "B" in the domain "default" \#(one)"#),
                (
                    ["A", "--object", "y"],
                    #"nobody observes "A" about "y" in the domain "default" \#(one)"#
                ),
                (
                    ["A", "--domain", "empty"],
                    #"nobody observes "A" in the domain "empty" \#(none)"#
                ),
            ] {
                let posted = try await run(["post", "--verbose"] + arguments, in: folder)
                #expect(posted.status == 0)
                #expect(posted.errors == ["switchyard post: \(words)"])
                #expect(try await run(["post"] + arguments, in: folder).errors.isEmpty)
            }
        }

        @Test func `A signal before the end of standard input posts no part of it`() async throws {
            let poster = try ToolProcess("post", "J", "--json", "-", in: folder)
            poster.write("{}")
            while true {
                let peers = try await run("peers", in: folder).output
                if peers.contains(where: { $0.contains("switchyard post") }) { break }
            }
            poster.send(SIGINT)
            #expect(await poster.end() == 1)
            #expect(
                await poster.errors.all() == [
                    "switchyard post: nothing was posted: it was ended before the end of standard "
                        + "input"
                ])
        }

        @Test func `A signal among lines says how many were posted, and that more may come`()
            async throws
        {
            let observer = try ToolProcess("observe", "L", in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", in: folder)
            poster.write("one\ntwo\npart of a line")
            for _ in 0..<2 { _ = try #require(await observer.output.next()) }
            poster.send(SIGTERM)
            #expect(await poster.end() == 1)
            #expect(
                await poster.errors.all() == [
                    "switchyard post: it was ended after 2 lines, before the end of standard input"
                ])
        }

        @Test func `Standard input that can't be read is an error that says so`() async throws {
            for (input, words) in [("<&-", "Bad file descriptor"), ("</", "Is a directory")] {
                let poster = try ToolProcess(
                    script: #"exec "$switchyard" post L --lines "# + input, in: folder)
                #expect(await poster.end() == 1)
                #expect(
                    await poster.errors.all()
                        == ["switchyard post: cannot read standard input: \(words)"])
            }
        }

        @Test func `A stopped process is named, and the others get all notifications`()
            async throws
        {
            let stopped = try ToolProcess("observe", in: folder)
            try await stopped.ready()
            let observer = try ToolProcess("observe", "L", "--count", "20000", in: folder)
            try await observer.ready()
            stopped.stop()
            let line = String(repeating: "x", count: 500) + "\n"
            let posted = try await run(
                "post", "L", "--lines", "--within", "300ms", in: folder,
                input: String(repeating: line, count: 20000))
            #expect(posted.status == 1)
            #expect(posted.errors.last?.contains("(\(stopped.processIdentifier))") == true)
            #expect(posted.errors.last?.contains("(\(observer.processIdentifier))") == false)
            #expect(await observer.end() == 0)
            stopped.send(SIGKILL)
        }

        @Test func `A post that can't be made is a usage error that says why`() async throws {
            for (arguments, words) in [
                (["--info", "novalue"], "takes key=value"),
                (["--info", "a=1", "a=2"], "'a' twice"),
                (["--info", "=x"], "write a key before the ="),
                (["--info", ":=1"], "write a key before the ="),
                (["--info", "id=1e400"], "too large"),
                (["--lines", "--info", "line=1"], "use another key"),
                (["--lines", "--json", #"{"lineData":1}"#], "use another key"),
                (["--info", "a:=nul"], "expected a value"),
                (["--info", "a:=null"], "leave it out"),
                (["--json", "[1]"], "and is an array"),
                (["--json", "[1"], "not JSON"),
                (["--json", "{"], "expected a key"),
                (["--within", "soon"], "soon"),
            ] {
                let posted = try await run(["post", "X"] + arguments, in: folder)
                #expect(posted.status == 64)
                #expect(posted.errors.joined().contains(words), "\(arguments)")
            }
        }

        @Test func `An empty name is a usage error that says what to do`() async throws {
            for command in [["post", ""], ["observe", "A", ""]] {
                let tool = try await run(command, in: folder)
                #expect(tool.status == 64)
                #expect(tool.errors.first?.contains("write one, such as") == true, "\(command)")
            }
            #expect(try await run("observe", "--exec", "", in: folder).status == 64)
        }

        @Test func `A domain that can't be is a usage error, with every command`() async throws {
            let long = String(repeating: "x", count: 300)
            for (domain, words) in [("", "write one"), (long, "too long")] {
                for command in [["post", "X"], ["observe"], ["peers"], ["ping"]] {
                    let tool = try await run(command + ["--domain", domain], in: folder)
                    #expect(tool.status == 64)
                    let first = tool.errors.first ?? ""
                    #expect(first.hasPrefix("Error: --domain: ") && first.contains(words))
                }
            }
        }

        @Test func `The tool gives advice if processes can't be reached`() async throws {
            for command in [["post", "X"], ["observe"], ["peers"], ["ping"]] {
                let tool = try ToolProcess(
                    script: #"SWITCHYARD_RUNTIME_DIR=/dev/null "$switchyard" "#
                        + command.joined(separator: " "), in: folder)
                #expect(await tool.end() == 1)
                let words = await tool.errors.all().joined()
                #expect(words.hasPrefix("switchyard \(command[0]): the folder /dev/null/"))
                #expect(words.contains("SWITCHYARD_RUNTIME_DIR"))
            }
        }
    }
}
