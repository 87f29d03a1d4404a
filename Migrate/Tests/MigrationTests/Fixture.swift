// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Migration
import Testing

/// A folder in `Fixtures`: sources before and after, the report, and options.
struct Fixture: Sendable, CustomTestStringConvertible {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

    static let all: [Fixture] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { Fixture(name: $0) }
    }()

    let name: String
    var testDescription: String { name }

    private var url: URL { Self.folder.appendingPathComponent(name) }

    var lines: [String] {
        get throws {
            try String(contentsOf: url.appendingPathComponent("options"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }

    var options: MigrationOptions {
        get throws {
            let lines = try lines
            return MigrationOptions(
                observe: lines.contains("observe"), darwin: lines.contains("darwin"),
                apple: lines.contains("apple"))
        }
    }

    var languageMode: LanguageMode {
        get throws { try lines.contains("swift: 6") ? .v6 : .v5 }
    }

    func sources(_ folder: String) throws -> [SourceText] {
        let url = url.appendingPathComponent(folder)
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted().map { name in
            SourceText(
                path: name, contents: Array(try Data(contentsOf: url.appendingPathComponent(name))))
        }
    }

    func report() throws -> String {
        try String(contentsOf: url.appendingPathComponent("report"), encoding: .utf8)
    }

    /// The migration of sources with the fixture's options.
    func migrate(_ sources: [SourceText]) throws -> Migration {
        Migrator.migrate(
            [ModuleSources(name: name, languageMode: try languageMode, files: sources)], try options
        )
    }
}

extension Migration {
    /// The number of places that are left for a person.
    var leftCount: Int { findings.count { $0.kind == .left } }

    /// Sources with the changed ones in place of the old.
    func applied(to sources: [SourceText]) -> [SourceText] {
        sources.map { source in
            files.first { $0.path == source.path }
                .map { SourceText(path: $0.path, contents: $0.contents) } ?? source
        }
    }
}

extension SourceText {
    var text: String { String(decoding: contents, as: UTF8.self) }
}
