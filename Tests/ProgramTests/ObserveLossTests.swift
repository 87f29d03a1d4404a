// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// The losses that `switchyard observe` and `switchyard post` report.
    @Suite struct ObserveLosses {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        /// The number in front of "notifications".
        private func lost(_ line: String?) throws -> Int {
            let words = try #require(line).split(separator: " ")
            let index = try #require(words.firstIndex(of: "notifications"))
            return try #require(Int(words[index - 1]))
        }

        @Test(.rule(37))
        func `A poster that gives up and leaves counts the same losses as its hearer`()
            async throws
        {
            let observer = try ToolProcess(
                script: #"exec "$switchyard" observe L >/dev/null"#, in: folder)
            try await observer.ready()
            // This post gives the observer time to subscribe before the poster has to leave.
            try await run("post", "L", in: folder)
            let poster = try ToolProcess("post", "L", "--lines", "--within", "100ms", in: folder)
            poster.write("begin\n")
            while true {
                let peers = try await run("peers", "--json", in: folder).output
                if peers.contains(where: { $0.contains(/"sent":1\b/) }) { break }
            }
            observer.stop()
            let line = String(repeating: "x", count: 1_000) + "\n"
            await poster.writeAll(String(repeating: line, count: 5_000))
            poster.closeInput()
            #expect(await poster.end() == 1)
            let said = await poster.errors.all()
            let given = try lost(said.first { $0.contains("were lost") })
            #expect(said.last?.hasSuffix("which lost \(given)") == true, "\(said)")
            observer.send(SIGCONT)
            let heard = try lost(await observer.errors.next { $0.contains("were lost") })
            #expect(heard == given)
            observer.send(SIGINT)
            #expect(await observer.end() == 0)
            let received = 5_002 - heard
            #expect(
                await observer.errors.all().last
                    == "received: \(received), printed: \(received), lost: \(heard)")
        }

        @Test(.rule(37)) func `A poster that is killed leaves a gap of unknown size`()
            async throws
        {
            let observer = try ToolProcess("observe", "L", in: folder)
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", in: folder)
            poster.write("one\n")
            _ = try #require(await observer.output.next())
            poster.send(SIGKILL)
            let loss = try #require(await observer.errors.next { $0.contains("may be lost") })
            #expect(loss.contains("switchyard post (\(poster.processIdentifier))"))
            observer.send(SIGINT)
            #expect(await observer.end() == 0)
            #expect(
                await observer.errors.all().last
                    == "received: 1, printed: 1, lost: an unknown number")
        }

        @Test func `post --strict fails if no process hears the post, and says so`() async throws {
            let unheard = try await run("post", "S", "--strict", in: folder)
            #expect(unheard.status == 1)
            #expect(unheard.errors.contains { $0.contains("nobody") })
            #expect(try await run("post", "S", in: folder).status == 0)
            let observer = try ToolProcess("observe", "S", "--object", "a", in: folder)
            try await observer.ready()
            #expect(try await run("post", "S", "--strict", "--object", "a", in: folder).status == 0)
            #expect(try await run("post", "S", "--strict", "--object", "b", in: folder).status == 1)
            let lines = ["post", "S", "--strict", "--object", "a", "--lines"]
            #expect(try await run(lines, in: folder, input: "1\n2\n").status == 0)
            // An empty input makes no post, so no post goes unheard.
            let empty = try await run(lines, in: folder, input: "")
            #expect(empty.status == 0 && empty.errors.isEmpty)
            #expect(
                try await run("post", "S", "--strict", "--nats", "x", in: folder).status == 64)
        }
    }
}
