// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration
import Testing

@Suite("Listeners on Foundation's center") struct ListenersTests {
    private static let options = MigrationOptions(apple: true)
    private static let posting = """
        import Combine
        import UIKit

        extension Notification.Name { static let saved = Notification.Name("saved") }

        func save() { NotificationCenter.default.post(name: .saved, object: nil) }
        let saves = NotificationCenter.default.publisher(for: .saved)
        """
    private static let program = """
        import UIKit

        @main class Delegate: UIResponder, UIApplicationDelegate {
            func applicationDidFinishLaunching(_ application: UIApplication) {
                start()
            }
        }
        """

    private func module(
        _ name: String, isWholeProgram: Bool = false, _ sources: [String: String]
    ) -> ModuleSources {
        ModuleSources(
            name: name, isWholeProgram: isWholeProgram,
            files: sources.sorted { $0.key < $1.key }
                .map { SourceText(path: $0.key, contents: Array($0.value.utf8)) })
    }

    private func migrate(_ modules: [ModuleSources]) -> Migration {
        Migrator.migrate(modules, Self.options)
    }

    @Test func `A program's start lets its publishers hear what moves`() throws {
        let migration = migrate([
            module("App", ["Posting.swift": Self.posting, "Program.swift": Self.program])
        ])
        let program = try #require(migration.files.first { $0.path == "Program.swift" })
        let text = String(decoding: program.contents, as: UTF8.self)
        #expect(
            text.contains("NotificationCenter.default.postsToFoundation = true\n        start()"))
        #expect(migration.leftCount == 0)
    }

    @Test func `The start of one module says nothing of the publishers of another`() {
        let migration = migrate([
            module("Library", ["Posting.swift": Self.posting]),
            module("App", ["Program.swift": Self.program]),
        ])
        #expect(migration.files.map(\.path) == ["Posting.swift"])
        #expect(migration.findings.filter { $0.kind == .left }.map(\.code) == [.combine])
    }

    @Test func `The start of a whole program is that of its parts, too`() {
        let migration = migrate([
            module("App", isWholeProgram: true, ["Program.swift": Self.program]),
            module("Part", ["Posting.swift": Self.posting]),
        ])
        #expect(Set(migration.files.map(\.path)) == ["Posting.swift", "Program.swift"])
        #expect(migration.leftCount == 0)
    }

    @Test func `A property that the program sets already is not set again`() {
        let setting =
            "import Foundation\nfunc set() { NotificationCenter.default.postsToFoundation = true }"
        let migration = migrate([
            module(
                "App",
                [
                    "Posting.swift": Self.posting, "Program.swift": Self.program,
                    "Setting.swift": setting,
                ])
        ])
        #expect(!migration.files.map(\.path).contains("Program.swift"))
        #expect(migration.leftCount == 0)
    }

    @Test func `A property that tests set is none of the program's`() {
        let setting =
            "import XCTest\nfunc set() { NotificationCenter.default.postsToFoundation = true }"
        let migration = migrate([
            module("App", ["Posting.swift": Self.posting, "Setting.swift": setting])
        ])
        #expect(migration.leftCount == 1)
    }

    @Test func `A package that moves nothing has no report of its publishers`() {
        let publisher =
            "import Combine\nlet all = NotificationCenter.default.publisher(for: .init(\"saved\"))"
        let migration = migrate([
            module("App", ["Publisher.swift": publisher, "Program.swift": Self.program])
        ])
        #expect(migration.files.isEmpty)
        #expect(migration.findings == [])
    }
}
