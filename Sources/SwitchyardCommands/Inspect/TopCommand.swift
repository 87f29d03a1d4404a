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
            As `switchyard inspect`, every second. On a terminal it shows what fits, and keys sort it: \
            \(RowOrder.allCases.map { "\($0.key) by \($0.words)" }.joined(separator: ", ")). In a \
            pipe it prints a table each time, or with --json an object. Ctrl-C ends it, and on a \
            terminal q.

            EXAMPLES
              switchyard top folio
              switchyard top folio --sort waits
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

    @Option(help: ArgumentHelp("The column to sort by.", valueName: "column"))
    var sort = RowOrder.busy

    @Option(help: "The number of tables to show; none: until the command is ended.")
    var count: Int?

    @Flag(help: "Print JSON: an object for each table.")
    var json = false

    func validate() throws {
        try HandlerTable.check(every, of: "--every")
        if let count { try ValidationError.check(count: count) }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let process = try InspectedProcesses.one(process, .top)
        try begin(process)
        if TopScreen.isThere, !json { try showLive(process) } else { try printAll(process) }
    }

    /// Has the process count and trace for this command.
    private func begin(_ process: InspectableProcess) throws {
        try InspectedProcesses.asking(process, .top) {
            try process.count()
            try process.trace(eventsPerSecond: HandlerTable.eventsPerSecond)
        }
    }

    /// Shows the tables on the terminal, each in place of the one before.
    private func showLive(_ process: InspectableProcess) throws {
        if !EndSignals.isIgnored(SIGINT) { signal(SIGINT) { _ in _exit(EXIT_SUCCESS) } }
        let screen = TopScreen(sort)
        let hasEnded: Bool
        do {
            defer { screen.leave() }
            hasEnded = try look(at: process) { screen.show($0) }
        }
        if hasEnded { sayEnded(process) }
    }

    private func sayEnded(_ process: InspectableProcess) {
        StandardErrorLog.top.say("process \(process.number) \(process.name) has ended")
    }

    /// Prints the tables one after the other.
    private func printAll(_ process: InspectableProcess) throws {
        // A table is written whole, so that the last one is complete wherever this ends.
        if !EndSignals.isIgnored(SIGINT) { signal(SIGINT) { _ in _exit(EXIT_SUCCESS) } }
        let output = OutputBuffer()
        // The program exits at once, not with the next table: until then the process would count
        // deliveries for nobody.
        output.whenReaderGoes { _exit(EXIT_SUCCESS) }
        let hasEnded = try look(at: process) { table in
            let table = table.sorted(by: sort)
            let text = json ? (try? JSONLine.text(of: table)) ?? "" : table.text()
            output.append(Array("\(text)\n".utf8))
            output.flush()
            return output.failure == nil
        }
        if hasEnded { sayEnded(process) }
        try output.check(.top)
    }

    /// Looks at the process again and again, until it ends or `show` returns false.
    ///
    /// - Returns: Whether it has ended.
    private func look(
        at process: InspectableProcess, _ show: (HandlerTable) -> Bool
    ) throws -> Bool {
        var process = process
        var growth = GrowthWatch(every: .seconds(2))
        var recording = TraceRecording()
        var shown = 0
        while shown < count ?? .max {
            let table = try InspectedProcesses.asking(process, .top) { () -> HandlerTable? in
                do {
                    return try HandlerTable.look(
                        at: process, for: every.seconds, &growth, &recording)
                } catch let error as InspectionError where error.hasGone {
                    return nil
                }
            }
            if let table {
                if !show(table) { return false }
                shown += 1
            } else if let again = try InspectedProcesses.again(process, .top) {
                // It gives this command up when that is stopped, by Ctrl-Z for example, and takes
                // nothing for some seconds.
                process = again
                try begin(process)
                (growth, recording) = (GrowthWatch(every: .seconds(2)), TraceRecording())
            } else {
                return true
            }
        }
        return false
    }
}
