// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// The command.
@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchyard-benchmarks",
        abstract: "Measures Switchyard beside its peers and the limits, in one interleaved run.",
        discussion: """
            Tables: \(Table.all.map(\.name).joined(separator: ", ")).

            Compare figures of one run alone: times drift from run to run. A machine that does
            something else makes threads wait; the first line says how busy it is.
            """)

    @Option(help: ArgumentHelp("One table alone; several if given again.", valueName: "table"))
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only cells whose row or column contains this text; give it again for further texts.",
            valueName: "text"))
    var cells: [String] = []

    @Option(
        help: ArgumentHelp("Write all figures there, as an array of objects.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the tables there, in Markdown.", valueName: "file"))
    var markdown: String?

    @Option(help: ArgumentHelp("Write a picture of the main figures there.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp(
            "Name the cells that became slower or faster since the run that wrote this file with --json.",
            valueName: "file"))
    var compare: String?

    @Option(
        help: "The number of rounds of each cell; up to three times as many to decide its goal.")
    var rounds = 5

    @Option(help: "The shortest time that each subject of a cell runs, in seconds.")
    var seconds = 0.3

    @Flag(help: "A moment for each cell, to see that everything runs: the figures mean little.")
    var quick = false

    static func main() {
        // The processes between which is measured are this program, started again.
        ChildProgram.runIfChild()
        main(nil)
    }

    func validate() throws {
        if rounds < 1 { throw ValidationError("there must be a round") }
        if !(seconds > 0) { throw ValidationError("a cell must last some time") }
        let names = Table.all.map(\.name)
        for name in only where !names.contains(name) {
            throw ValidationError("no table \(name); there are \(names.joined(separator: ", "))")
        }
    }

    func run() throws {
        defer { Workspace.clear() }
        let heading = Machine.heading(isQuick: quick)
        print(heading)
        let tables = Table.all
            .filter { only.isEmpty || only.contains($0.name) }
            .map { $0.cells(with: cells) }
            .filter { !$0.cells.isEmpty }
        if tables.isEmpty { throw ValidationError("no cell has that text in its row or column") }
        let old = try compare.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let rounds = Rounds(quick ? .quick : Effort(rounds: rounds, seconds: seconds))
        let reports = tables.map { table in
            let report = rounds.measure(table, progress: Progress.show)
            Progress.clear()
            print("\n" + TextPrinter.text(report), terminator: "")
            // Now, also into a pipe: the next table takes a while.
            fflush(nil)
            return report
        }
        print("\n" + Noise.text(reports))
        if let old { print(try Comparison(reports, with: old).text, terminator: "") }
        try json.map { try JSONPrinter.data(reports).write(to: URL(fileURLWithPath: $0)) }
        try markdown.map {
            try write(MarkdownPrinter.text(reports, heading: heading), to: $0)
        }
        try svg.map { try write(SVGPrinter.text(reports), to: $0) }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}

/// The line on a terminal that names the cell under way, and goes again.
private enum Progress {
    private static let isShown = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    }

    static func clear() { show("") }
}
