// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWire

/// The command `switchyard inspect`: lists the processes that can be inspected, or shows the
/// registrations of one.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows the observers of a running process, and how busy their handlers are.",
        discussion: """
            Without a process, lists those that can be inspected: programs of this user that call \
            Inspection.listen(), in a debug build or with SWITCHYARD_INSPECT=1. With one, looks at it \
            for a while and prints a line for each place of registration. BUSY is how much of the time a thread \
            was inside its handler: 100 % is one thread all of the time, more is several at once; \
            async handlers hold no thread and do not count. Then the deliveries a second, the time \
            that 99 of a hundred calls did not exceed and that 99 of a hundred deliveries waited at most, the \
            deliveries that wait on its context now, and those that were lost. A question mark stands where \
            that is not known: posts from before the look are not traced, and an observer may not be told from \
            one that has ended meanwhile. A tilde marks a mean of such calls, if there were many. Then a \
            line for each finding: what looks like a mistake.

            With --web it prints an address for a browser instead: a page that shows who posts, who hears \
            it, on which context and how late, as it happens. The address works once, for one browser \
            on this machine. The page stays when the process ends; Ctrl-C ends it. The tool has to be \
            built with the trait Web.

            EXAMPLES
              switchyard inspect
              switchyard inspect folio
              switchyard inspect 4711 --for 10s --json
              switchyard inspect folio --web

            EXIT STATUS
              0  It was shown; without a process, also if there is none. With --web: Ctrl-C.
              1  The process can't be inspected, or it ended; the page can't be served.
              64 The arguments are wrong.
            """)

    @Argument(help: "A process, by number or name.")
    var process: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The time to look; 90 s at most.", valueName: "time"))
    var span = TimeLimit(seconds: 2)

    @Option(help: ArgumentHelp("The column to sort by.", valueName: "column"))
    var sort = RowOrder.busy

    @Flag(help: "Print JSON: an object for each process.")
    var json = false

    @Flag(help: "Serve a live page for a browser on this machine.")
    var web = false

    @Option(help: ArgumentHelp("The page's port; without it, a free one.", valueName: "number"))
    var port: UInt16?

    func validate() throws {
        try HandlerTable.check(span, of: "--for")
        if port != nil, !web { throw ValidationError("--port is for --web") }
        if web, json { throw ValidationError("--web has no --json: the page is for people") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let output = OutputBuffer()
        if web { return try LivePage.run(process, port: port ?? 0, output) }
        if process == nil { try list(output) } else { try show(output) }
        output.flush()
        try output.check(.inspect)
    }

    private func show(_ output: OutputBuffer) throws {
        let process = try InspectedProcesses.one(process, .inspect)
        let table = try InspectedProcesses.asking(process, .inspect) {
            try process.count()
            try process.trace(eventsPerSecond: HandlerTable.eventsPerSecond)
            // The growth of registrations is looked at in the beginning, in the middle and at the
            // end.
            var growth = GrowthWatch(every: .zero)
            var recording = TraceRecording()
            return try HandlerTable.look(at: process, for: span.seconds, &growth, &recording)
                .sorted(by: sort)
        }
        let text = json ? try JSONLine.text(of: table) + "\n" : table.text()
        output.append(Array(text.utf8))
    }

    private struct Listed: Encodable {
        var process: Int32
        var name: String
        var centers: Int
        var registrations: Int
    }

    private func list(_ output: OutputBuffer) throws {
        let found = InspectedProcesses.centers(
            of: try InspectedProcesses.all(.inspect), .inspect)
        let all = found.map { process, centers in
            Listed(
                process: process.number, name: process.name, centers: centers.count,
                registrations: centers.reduce(0) { $0 + $1.registrations.count })
        }
        if json {
            for process in all { output.append(Array("\(try JSONLine.text(of: process))\n".utf8)) }
        } else if all.isEmpty {
            StandardErrorLog.inspect.say("no process can be inspected")
        } else {
            let rows = all.map {
                ["\($0.process)", "\($0.centers)", "\($0.registrations)", $0.name.shown]
            }
            let heads = ["PROCESS", "CENTERS", "REGISTRATIONS", "NAME"]
            output.append(Array(HandlerTable.aligned([heads] + rows, rightAligned: 3).utf8))
        }
    }
}
