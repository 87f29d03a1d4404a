// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration
import Testing

@Suite("Manifests") struct ManifestTests {
    private func source(_ text: String) -> SourceText {
        SourceText(path: "Package.swift", contents: Array(text.utf8))
    }

    private static let simple = """
        // swift-tools-version:5.9
        import PackageDescription
        let package = Package(
            name: "App",
            dependencies: [
                .package(url: "https://example.org/library", from: "1.0.0"),
            ],
            targets: [
                .target(name: "App", dependencies: ["Library"]),
                .target(name: "Alone"),
                .testTarget(name: "AppTests", dependencies: [.target(name: "App")], path: "./Checks/"),
            ]
        )
        """

    @Test func `Targets have folders and a language mode`() {
        let manifest = PackageManifest(source(Self.simple))
        #expect(manifest.targets.map(\.name) == ["App", "Alone", "AppTests"])
        #expect(manifest.target(of: "Sources/App/Deep/A.swift")?.name == "App")
        #expect(manifest.target(of: "Checks/A.swift")?.name == "AppTests")
        #expect(manifest.target(of: "Sources/Application/A.swift") == nil)
        #expect(manifest.targets.allSatisfy { $0.languageMode == .v5 })
    }

    @Test(arguments: [
        ("// swift-tools-version: 6.0", "", LanguageMode.v6),
        ("// swift-tools-version:6.2", ", swiftLanguageModes: [.v5]", .v5),
        ("// swift-tools-version: 5.10", ", swiftLanguageModes: [.version(\"6\")]", .v6),
    ]) func `The language mode follows the tools' version and the manifest's settings`(
        _ header: String, _ setting: String, _ mode: LanguageMode
    ) {
        let text =
            header
            + "\nlet package = Package(name: \"A\", targets: [.target(name: \"A\")]\(setting))"
        #expect(PackageManifest(source(text)).targets.map(\.languageMode) == [mode])
    }

    @Test func `A target's settings come before those of the package`() {
        let text = """
            // swift-tools-version: 6.2
            let package = Package(name: "A", targets: [
                .target(name: "A", swiftSettings: [.swiftLanguageMode(.v5)]),
                .target(name: "B", swiftSettings: [.defaultIsolation(MainActor.self)]),
            ])
            """
        let targets = PackageManifest(source(text)).targets
        #expect(targets.map(\.languageMode) == [.v5, .v6])
        #expect(targets.map(\.isolatesToMain) == [false, true])
    }

    @Test func `The dependency is added once, where lists are literals`() throws {
        let editor = ManifestEditor(dependency: ".package(path: \"../switchyard\")")
        let needs = ["App", "Alone"].map { ManifestEditor.Need(target: $0, product: "Switchyard") }
        let edited = try #require(try editor.edit(source(Self.simple), for: needs).get())
        let text = String(decoding: edited.contents, as: UTF8.self)
        let product = ".product(name: \"Switchyard\", package: \"switchyard\")"
        #expect(
            text.contains("from: \"1.0.0\"),\n        .package(path: \"../switchyard\"),\n    ]"))
        #expect(text.contains("dependencies: [\"Library\", \(product)]"))
        #expect(text.contains("name: \"Alone\", dependencies: [\(product)]"))
        let again = try editor.edit(source(text), for: needs).get()
        #expect(again == nil || again?.addedLines == 0)
    }

    @Test(arguments: [
        ".package(url: \"https://github.com/acme/switchyard\", from: \"0.1.0\")",
        ".package(url: \"https://github.com/acme/Switchyard.git\", from: \"0.1.0\")",
        ".package(path: \"../switchyard/\")",
        ".package(name: \"Switchyard\", path: \"../center\")",
    ]) func `A dependency that is there already is not added`(_ written: String) throws {
        let text = """
            let package = Package(name: "A", dependencies: [\(written)], targets: [
                .target(name: "A"),
            ])
            """
        let need = ManifestEditor.Need(target: "A", product: "Switchyard")
        let editor = ManifestEditor(dependency: ".package(path: \"../switchyard\")")
        let edited = try #require(try editor.edit(source(text), for: [need]).get())
        #expect(
            String(decoding: edited.contents, as: UTF8.self)
                == text.replacing("\"A\"),\n", with: "\"A\", dependencies: [\(need.line)]),\n"))
    }

    @Test(arguments: [
        "let common: [Target.Dependency] = [.target(name: \"Core\")]",
        "var common: [Target.Dependency] { [.target(name: \"Core\")] }",
        "func common() -> [Target.Dependency] { [.target(name: \"Core\")] }",
        "let common = [Target.Dependency.target(name: \"Core\")]",
        "var common = [any Shared]()\ncommon.append(.target(name: \"Core\"))",
    ]) func `A dependency outside of the package is no target`(_ common: String) throws {
        let text = """
            // swift-tools-version: 6.0
            \(common)
            let package = Package(name: "A", dependencies: [], targets: [
                .target(name: "Core", swiftSettings: [.swiftLanguageMode(.v5)]),
                .target(name: "App", dependencies: common),
            ])
            """
        let targets = PackageManifest(source(text)).targets
        #expect(targets.map(\.name) == ["Core", "App"])
        #expect(targets.map(\.languageMode) == [.v5, .v6])
        let need = ManifestEditor.Need(target: "Core", product: "Switchyard")
        let editor = ManifestEditor(dependency: ".package(path: \"../switchyard\")")
        let edited = try #require(try editor.edit(source(text), for: [need]).get())
        #expect(
            String(decoding: edited.contents, as: UTF8.self)
                .contains(".target(name: \"Core\", dependencies: [\(need.line)], swiftSettings"))
    }

    @Test func `Targets in a variable are read`() {
        let text = """
            let targets: [Target] = [.target(name: "A"), .testTarget(name: "B")]
            let package = Package(name: "A", targets: targets)
            """
        #expect(PackageManifest(source(text)).targets.map(\.name) == ["A", "B"])
    }

    @Test func `A list that is computed is left`() {
        let text =
            "let package = Package(name: \"A\", dependencies: all, targets: [.target(name: \"A\")])"
        let need = ManifestEditor.Need(target: "A", product: "Switchyard")
        let result = ManifestEditor(dependency: "x").edit(source(text), for: [need])
        #expect(throws: ManifestProblem.self) { try result.get() }
    }

    @Test func `A product that a target names already is not asked for again`() throws {
        let text = """
            let package = Package(name: "OpenCombine", targets: [
                .target(name: "OpenCombine"),
                .target(name: "Extras", dependencies: ["OpenCombine"]),
            ])
            """
        let needs = ["OpenCombine", "Switchyard"].map {
            ManifestEditor.Need(target: "Extras", product: $0)
        }
        let editor = ManifestEditor(dependency: ".package(path: \"../switchyard\")")
        let edited = try #require(try editor.edit(source(text), for: needs).get())
        #expect(
            String(decoding: edited.contents, as: UTF8.self).contains(
                "[\"OpenCombine\", .product(name: \"Switchyard\", package: \"switchyard\")]"))
    }
}
