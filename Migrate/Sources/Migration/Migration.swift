// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The Swift language mode of a module.
public enum LanguageMode: String, Sendable, CaseIterable {
    /// Swift 5.
    case v5 = "5"
    /// Swift 6, which asks for `Sendable` observers.
    case v6 = "6"
}

/// A source file.
public struct SourceText: Sendable {
    /// The path, as it stands in findings and diffs.
    public var path: String
    /// The file's bytes.
    public var contents: [UInt8]

    /// A file of a path, with bytes.
    public init(path: String, contents: [UInt8]) {
        self.path = path
        self.contents = contents
    }
}

/// The sources of a module.
public struct ModuleSources: Sendable {
    /// The module's name.
    public var name: String
    /// The language mode in which it is compiled.
    public var languageMode: LanguageMode
    /// Whether it is compiled with `-default-isolation MainActor`.
    public var isolatesToMain: Bool
    /// Whether the module is a program that the other modules are parts of.
    public var isWholeProgram: Bool
    /// The module's files.
    public var files: [SourceText]

    /// A module of files.
    public init(
        name: String, languageMode: LanguageMode = .v5, isolatesToMain: Bool = false,
        isWholeProgram: Bool = false, files: [SourceText]
    ) {
        self.isWholeProgram = isWholeProgram
        self.name = name
        self.languageMode = languageMode
        self.isolatesToMain = isolatesToMain
        self.files = files
    }
}

/// The options of a migration.
public struct MigrationOptions: Sendable {
    /// Writes `observe(…, with:)` in place of every `addObserver(_:selector:…)`.
    public var observe: Bool
    /// Keeps the old form for Apple's systems, in `#if canImport(Darwin)`.
    public var darwin: Bool

    /// Moves what is for Apple's systems alone, too: files that need frameworks which Linux does
    /// not have, names of those frameworks, and branches of `#if`. Switchyard is the center there
    /// as well.
    public var apple: Bool

    /// The smallest change, unless more is asked for. `darwin` and `apple` exclude each other.
    public init(observe: Bool = false, darwin: Bool = false, apple: Bool = false) {
        self.observe = observe
        self.darwin = darwin
        self.apple = apple
    }
}

/// A file that a migration changes.
public struct MigratedFile: Sendable {
    /// The file's path.
    public var path: String
    /// The file's bytes after the migration.
    public var contents: [UInt8]
    /// The change as a unified diff.
    public var diff: String
    /// The number of lines that the change adds.
    public var addedLines: Int
    /// The number of lines that the change removes.
    public var removedLines: Int

    /// A change of a file.
    public init(
        path: String, contents: [UInt8], diff: String, addedLines: Int, removedLines: Int
    ) {
        self.path = path
        self.contents = contents
        self.diff = diff
        self.addedLines = addedLines
        self.removedLines = removedLines
    }
}

/// The outcome of a migration.
public struct Migration: Sendable {
    /// The files that change.
    public var files: [MigratedFile]
    /// The changed and the left places, by file and line.
    public var findings: [Finding]

    /// An outcome of parts.
    public init(files: [MigratedFile] = [], findings: [Finding] = []) {
        self.files = files
        self.findings = findings
    }

    /// Whether a place needs a person.
    public var leavesSomething: Bool { findings.contains { $0.kind == .left } }
}
