// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

extension ProgramTests {
    /// The errors of `switchyard refused` for names that no durable observer can have.
    @Suite struct RefusedNames {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        @Test(.timeLimit(.minutes(5)), arguments: ["a b", "", "a.b", "a/b", "a*", "\u{1B}[2J"])
        func `A name that no durable observer can have is a mistake, and no cluster is asked`(
            name: String
        ) async throws {
            let end = try await run("refused", name, "--nats", "nats://127.0.0.1:1", in: folder)
            #expect(end.status == 64)
            #expect(end.errors.first?.contains("no durable observer is called") == true)
            #expect(!end.errors.contains { $0.contains("\u{1B}") })
        }
    }
}
