// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// `switchyard post --lines` with lines of more than 3 MiB.
    @Suite struct LongLines {
        private let folder: TestFolder
        private let long = String(repeating: "x", count: 7 << 20)

        init() throws { folder = try TestFolder() }

        @Test func `An object that is too long is one line, and is refused as too long`()
            async throws
        {
            let observer = try ToolProcess("observe", "J", "--json", "--count", "2", in: folder)
            try await observer.ready()
            let posted = try await run(
                "post", "J", "--lines", "--json", "-", in: folder,
                input: "{\"n\":1}\n{\"s\":\"\(long)\"}\n[]\n{\"n\":2}")
            #expect(posted.status == 1)
            #expect(
                posted.errors == [
                    "switchyard post: line 2 was not posted: it is longer than 3 MiB",
                    "switchyard post: line 3 was not posted: it has to be an object, such as "
                        + #"{"n":1}, and is an array"#,
                ])
            #expect(await observer.end() == 0)
            let infos = try await observer.output.all().map {
                try object($0)["userInfo"] as? [String: Int]
            }
            #expect(infos == [["n": 1], ["n": 2]])
        }
    }
}
