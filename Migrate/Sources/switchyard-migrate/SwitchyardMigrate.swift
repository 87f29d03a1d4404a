// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import Migration

/// The command-line tool.
@main struct SwitchyardMigrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchyard-migrate",
        abstract: "Moves Swift sources from Foundation's notification center to Switchyard's.",
        discussion: """
            Prints what it would change as a unified diff on standard output, and on standard error a \
            line for each change and for each place that it leaves, with the reason. What it does not \
            understand stays as it is. A second run changes nothing.

            Folders called .build, Pods, Carthage, Checkouts, DerivedData, and hidden folders are not read.

            Exit status: 0, nothing is left for a person; 1, something is left, and the report says \
            where and why; 64, the command line is wrong; 74, a file can't be read or written.
            """)

    @Argument(help: "The folder of the package, or any folder with Swift sources.")
    var folder: String

    @Flag(help: "Write the changes, file by file: each is either as before or complete.")
    var write = false

    @Flag(help: "Write observe(…, with:) in place of every addObserver(…, selector:).")
    var observe = false

    @Flag(help: "Keep the old form for Apple's systems, in #if canImport(Darwin).")
    var darwin = false

    @Flag(
        help: """
            Move also what is for Apple's systems alone: files that need UIKit, AppKit and the like. \
            Switchyard is the center there, too.
            """)
    var apple = false

    @Flag(help: "Add the dependency to Package.swift, too, where its lists are literals.")
    var package = false

    @Option(help: "The dependency to add, as a manifest writes it.")
    var dependency = #".package(url: "https://github.com/OWNER/switchyard", from: "0.1.0")"#

    @Option(
        name: .customLong("swift"),
        help: "The language mode, 5 or 6, in place of that in Package.swift. Without either: 5.")
    var languageMode: String?

    @Option(help: "Write the report as JSON to this file; - for standard output, without the diff.")
    var json: String?

    func validate() throws {
        if let languageMode, LanguageMode(rawValue: languageMode) == nil {
            throw ValidationError("the language mode is 5 or 6, not '\(languageMode)'")
        }
        if darwin, apple {
            throw ValidationError(
                "--darwin keeps Foundation's center on Apple's systems, --apple moves it: choose one"
            )
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory),
            isDirectory.boolValue
        else { throw ValidationError("there is no folder '\(folder)'") }
    }

    func run() throws {
        do {
            let leaves = try migrate()
            throw ExitCode(leaves ? 1 : 0)
        } catch let error as FileProblem {
            Output.error("switchyard-migrate: \(error.description)\n")
            throw ExitCode(74)
        }
    }

    /// Reads, migrates, reports and writes. Returns whether something is left for a person.
    private func migrate() throws -> Bool {
        let tree = try SourceTree(folder)
        let mode = languageMode.flatMap { LanguageMode(rawValue: $0) }
        let options = MigrationOptions(observe: observe, darwin: darwin, apple: apple)
        // The tool migrates all packages at once: one may extend the center for the others.
        var all = Migrator.migrate(
            tree.packages.flatMap { $0.modules(languageMode: mode) }, options, beside: tree.others)
        for root in tree.packages {
            root.completeManifest(of: &all, dependency: dependency, edits: package)
        }
        all.findings = (tree.findings + all.findings).sorted()
        if json != "-" { for file in all.files { Output.print(file.diff) } }
        if write { for file in all.files { try tree.write(file) } }
        let report = Report(all)
        if json == "-" {
            Output.print(String(decoding: try report.json(), as: UTF8.self))
        } else if let json {
            try FileProblem.wrap(json) { try report.json().write(to: URL(fileURLWithPath: json)) }
        }
        Output.error(report.text(isWritten: write))
        if package, dependency.contains("/OWNER/"), report.changesManifest {
            Output.error(
                "Package.swift names OWNER: put the owner of Switchyard's repository there, or give --dependency\n"
            )
        }
        return all.leavesSomething
    }
}

/// Standard output and standard error.
enum Output {
    static func print(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
    static func error(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
