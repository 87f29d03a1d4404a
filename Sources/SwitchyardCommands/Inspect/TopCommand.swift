// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection

/// The command `switchyard top`: shows the busiest handlers of a process, again and again.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows the busiest handlers of a running process, again and again.",
        discussion: """
            As `switchyard inspect`, every second. On a terminal it shows what fits; in a pipe it \
            prints a table each time, or with --json an object. Ctrl-C ends it.

            EXAMPLES
              switchyard top folio
              switchyard top 4711 --every 5s --count 12 --json >log

            EXIT STATUS
              0  It was ended by Ctrl-C or --count, the process ended, or whoever read its output has \
            closed that.
              1  The process can't be inspected, or the output can't be written.
              64 The arguments are wrong.
            """)

    @Argument(help: "A process, by number or name; needed if several can be inspected.")
    var process: String?

    @Option(help: ArgumentHelp("The time between two tables; 90 s at most.", valueName: "time"))
    var every = TimeLimit(seconds: 1)

    @Option(help: "How many tables to show; none: until it is ended.")
    var count: Int?

    @Flag(help: "Print JSON: an object for each table.")
    var json = false

    func validate() throws {
        if let count { try ValidationError.check(count: count) }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        // A table is written whole, so that the terminal is as it was wherever this ends.
        signal(SIGINT) { _ in _exit(EXIT_SUCCESS) }
        let output = OutputBuffer()
        // At once, not with the next table: until then the process would count deliveries for nobody.
        output.whenReaderGoes { _exit(EXIT_SUCCESS) }
        let process = try InspectedProcesses.one(process, .top)
        try InspectedProcesses.asking(process, .top) {
            try process.count()
            try process.trace(eventsPerSecond: HandlerTable.eventsPerSecond)
        }
        var shown = 0
        while shown < count ?? .max {
            guard let table = try? HandlerTable.look(at: process, for: every.seconds) else {
                StandardErrorLog.top.say("process \(process.number) \(process.name) has ended")
                return
            }
            try show(table, output)
            if output.failure != nil { return }
            shown += 1
        }
    }

    private func show(_ table: HandlerTable, _ output: OutputBuffer) throws {
        if json {
            output.append(Array("\(try JSONLine.text(of: table))\n".utf8))
        } else if let (height, width) = Self.terminalSize {
            // Moves to the top left corner, and clears what is below.
            let text = table.text(height: height, width: width)
            output.append(Array("\u{1B}[H\u{1B}[J\(text)".utf8))
        } else {
            output.append(Array("\(table.text())\n".utf8))
        }
        output.flush()
        try output.check(.top)
    }

    /// The lines of the terminal that standard output is, and the characters of a line; nil if it is
    /// none. Asked each time: it may have been resized.
    private static var terminalSize: (height: Int, width: Int)? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1,
            ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0
        else { return nil }
        // Some terminals do not know their width: their lines are not cut.
        return (Int(size.ws_row), size.ws_col > 0 ? Int(size.ws_col) : .max)
    }
}
