// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Migration
import Testing

@testable import switchyard_migrate

@Suite("Folders") struct SourceTreeTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("switchyard-migrate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ text: String, _ path: String, in folder: URL) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test func `Folders of builds, of dependencies and hidden ones are not read`() throws {
        try withFolder { folder in
            let skipped = [".build", "Pods", "Carthage", ".hidden", "DerivedData", "a/checkouts"]
            for name in skipped { try write("", "\(name)/A.swift", in: folder) }
            try write("", "Sources/A/A.swift", in: folder)
            try write("", "Sources/A/A.txt", in: folder)
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("Link.swift"),
                withDestinationURL: folder.appendingPathComponent("Sources/A/A.swift"))
            let tree = try SourceTree(folder.path)
            #expect(tree.packages.flatMap(\.files).map(\.path) == ["Sources/A/A.swift"])
        }
    }

    @Test func `A link to a folder is read as the folder`() throws {
        try withFolder { folder in
            try write("", "Real/Sources/A.swift", in: folder)
            let link = folder.appendingPathComponent("Link")
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: folder.appendingPathComponent("Real"))
            let tree = try SourceTree(link.path)
            #expect(tree.packages.flatMap(\.files).map(\.path) == ["Sources/A.swift"])
        }
    }

    @Test(arguments: [
        (["6.0", "6.0"], LanguageMode.v6), (["6.0", "5.0"], .v5), (["5.0"], .v5), ([], .v6),
    ])
    func `A project of Xcode has the language mode of files that no target has`(
        _ versions: [String], _ mode: LanguageMode
    ) throws {
        try withFolder { folder in
            let manifest = """
                // swift-tools-version: 6.0
                let package = Package(name: "A", targets: [.target(name: "A")])
                """
            try write(manifest, "Package.swift", in: folder)
            let settings = versions.map { "SWIFT_VERSION = \($0);\n" }.joined()
            try write(settings, "App/App.xcodeproj/project.pbxproj", in: folder)
            try write("", "App/App.swift", in: folder)
            try write("", "Sources/A/A.swift", in: folder)
            let modules = try SourceTree(folder.path).packages[0].modules(languageMode: nil)
            #expect(modules.map(\.name) == ["App/", "A"])
            #expect(modules.map(\.languageMode) == [mode, .v6])
        }
    }

    @Test func `A folder without a manifest is a program that its packages are parts of`() throws {
        try withFolder { folder in
            try write("", "App/App.swift", in: folder)
            try write("let package = Package(name: \"A\")", "Parts/Package.swift", in: folder)
            try write("", "Parts/Sources/A/A.swift", in: folder)
            let modules = try SourceTree(folder.path).packages.flatMap {
                $0.modules(languageMode: nil)
            }
            #expect(modules.map(\.isWholeProgram) == [true, false])
        }
    }

    @Test func `A package inside another is one of its own`() throws {
        try withFolder { folder in
            let manifest = "// swift-tools-version: 6.0\nlet package = Package(name: \"A\")"
            try write(manifest, "Package.swift", in: folder)
            try write(manifest, "Examples/Package.swift", in: folder)
            try write("", "Sources/A/A.swift", in: folder)
            try write("", "Examples/Sources/B/B.swift", in: folder)
            let tree = try SourceTree(folder.path)
            #expect(tree.packages.map(\.root) == ["", "Examples/"])
            #expect(tree.packages[1].modules(languageMode: nil).map(\.name) == ["Sources/B/"])
            #expect(tree.packages[1].modules(languageMode: nil).map(\.languageMode) == [.v6])
        }
    }

    @Test func `A file is written with the permissions that it had`() throws {
        try withFolder { folder in
            try write("old", "A.swift", in: folder)
            let path = folder.appendingPathComponent("A.swift").path
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
            let tree = try SourceTree(folder.path)
            try tree.write(
                MigratedFile(
                    path: "A.swift", contents: Array("new".utf8), diff: "", addedLines: 1,
                    removedLines: 1))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o750)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["A.swift"])
        }
    }

    @Test func `The manifest's needs are a finding, or an edit on request`() throws {
        try withFolder { folder in
            try write(
                "// swift-tools-version: 5.9\nlet package = Package(name: \"A\", targets: [.target(name: \"A\")])",
                "Package.swift", in: folder)
            try write(
                "import Foundation\nlet center = NotificationCenter.default\n", "Sources/A/A.swift",
                in: folder)
            let package = try #require(try SourceTree(folder.path).packages.first)
            for edits in [false, true] {
                var migration = Migrator.migrate(package.modules(languageMode: nil))
                package.completeManifest(of: &migration, dependency: "d", edits: edits)
                #expect(
                    migration.findings.first { $0.code == .manifest }?.kind
                        == (edits ? .changed : .left))
                #expect(migration.files.contains { $0.path == "Package.swift" } == edits)
            }
        }
    }

    @Test func `The report as JSON has each finding with its place and code`() throws {
        let source = SourceText(
            path: "A.swift",
            contents: Array("import Foundation\nlet a = NotificationCenter.default\n".utf8))
        let migration = Migrator.migrate([ModuleSources(name: "A", files: [source])])
        let report = try JSONDecoder().decode(Report.self, from: Report(migration).json())
        #expect(report.version == 1)
        #expect(report.changedFiles == ["A.swift"])
        #expect(report.findings == migration.findings)
        #expect(report.findings.map(\.code) == [.imports])
    }
}
