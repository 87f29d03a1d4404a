// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// The help of the tool and its commands.
    @Suite struct HelpAndCompletions {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test func `Every command has examples in its help, and shells get completions`()
            async throws
        {
            for command in ["post", "observe", "peers", "ping"] {
                let help = try await run(command, "--help", in: folder)
                #expect(help.status == 0)
                #expect(help.output.contains { $0.hasPrefix("  switchyard \(command)") })
                #expect(help.output.contains("EXIT STATUS"))
            }
            for shell in ["bash", "zsh", "fish"] {
                let script = try await run("--generate-completion-script", shell, in: folder)
                #expect(script.status == 0)
                #expect(script.output.contains { $0.contains("observe") })
                #expect(!script.output.contains { $0.contains("tour") || $0.contains("tail") })
            }
        }

        @Test(arguments: [["tour"], ["tour", "--json"], ["tail", "some.log"]])
        func `A demonstration that was a command is an error that names its example`(
            _ arguments: [String]
        ) async throws {
            let tool = try await run(arguments, in: folder)
            #expect(tool.status == 64)
            #expect(tool.output.isEmpty)
            #expect(
                tool.errors == [
                    "switchyard: '\(arguments[0])' is an example now; in a clone of the repository, "
                        + "run: swift run --package-path Examples \(arguments[0])"
                ])
            let help = try await run("--help", in: folder)
            #expect(!help.output.contains { $0.contains("  \(arguments[0]) ") })
        }
    }
}
