// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The command `switchyard post`: posts a notification, or one for each line, to the observers in
/// all processes.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Posts notifications to all processes of the user.",
        discussion: """
            Returns when what was posted has left this process; nothing has to run beforehand, and \
            nothing stays behind but an empty folder for a new domain. It is no error if nobody observes the notification, unless --strict is \
            given; the command says so on a terminal, and with --verbose. With --lines it keeps to the pace of the \
            processes that read.

            Ctrl-C (and SIGTERM) ends the input. What was posted before still leaves, and a process that \
            reads nothing is waited for as --within says; a second Ctrl-C ends the command at once.

            A value after --info is typed by how it is written. true and false are a Bool; numbers as \
            JSON writes them are an Int (42, -7) or a Double (2.5, 1e3); all else is a String (RTF, 007, \
            +1). key:=JSON says exactly what it is: 'version:="1.10"' is a String, 'sizes:=[1,2]' an \
            array.

            EXAMPLES
              switchyard post org.example.ConverterAdded
              switchyard post org.example.ConverterAdded --object text --info format=RTF pages=3
              switchyard post org.example.Build --json '{"ok":true,"seconds":4.2}'
              make 2>&1 | switchyard post org.example.BuildLog --lines
              jq -c .events[] log.json | switchyard post org.example.Event --lines --json -

            EXIT STATUS
              0  It has left this process.
              1  It can't be posted, or processes, which are named, do not read it or may have missed \
            it; or, with --strict, nobody heard it; or Ctrl-C came before the end of standard input.
              64 The arguments are wrong.
            """)

    @Argument(help: "The notification's name.")
    var name: String

    @Option(help: "The object of the notification.")
    var object: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Entries of userInfo.", valueName: "key=value"))
    var info: [String] = []

    @Option(
        help: ArgumentHelp(
            "userInfo as a JSON object; - reads it from standard input. --info adds to it; where both "
                + "have a key, --info's value is posted.",
            valueName: "object"))
    var json: String?

    @Flag(
        help: ArgumentHelp(
            "Post one for each line of standard input, as it comes: the line is userInfo's 'line', "
                + "or, with --json -, a JSON object. A line of more than 3 MiB is posted in pieces, "
                + "but an object of more is not posted."
        ))
    var lines = false

    @Flag(help: "Deliver it at once also where notifications are suspended.")
    var immediately = false

    @Option(
        help: ArgumentHelp("The time to wait for a process that reads nothing.", valueName: "time"))
    var within = TimeLimit(seconds: 5)

    @Flag(name: [.short, .long], help: "Name the processes that got the notification.")
    var verbose = false

    @Flag(
        help: ArgumentHelp(
            "Fail if nobody hears it; with --lines, if nobody hears one of them (there is none in an "
                + "empty input). Waits first until the other processes have said what they observe."
        ))
    var strict = false

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        try ValidationError.check(name: name)
        try ValidationError.check(object: object, or: "put it into --info or --json")
        if strict, domain.nats != nil {
            throw ValidationError("--strict: NATS does not tell who heard it; leave --strict out")
        }
        do {
            let info = try makeInfo()
            guard lines, json != "-" else { return }
            // A common entry would replace the entry with the line, so no line would be posted.
            for key in ["line", "lineData"] where info.hasCommon(key) {
                throw MalformedInput("with --lines, '\(key)' is the line: use another key")
            }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func makeInfo() throws -> InfoWriter {
        let entries = try info.map { argument in try InfoEntry(argument) }
        guard let json, json != "-" else { return try InfoWriter(entries) }
        do {
            return try InfoWriter(entries, object: Array(json.utf8))
        } catch {
            throw MalformedInput("--json takes a JSON object: \(error)")
        }
    }

    func run() throws {
        EndSignals.hold()
        let stop = try StopSignal()
        EndSignals.whenTheyCome { _ in stop.raise() }
        var poster = Poster(
            try domain.join(.post), name: name, object: object, try makeInfo(),
            isImmediate: immediately, patience: within)
        if strict, !poster.awaitAudience(within: within, stop) {
            StandardErrorLog.post.say(
                "nothing was posted: a signal ended the wait for what other processes observe")
            throw ExitCode.failure
        }
        var isWhole = false
        do {
            isWhole = try post(with: &poster, StandardInput(stop: stop))
        } catch {
            StandardErrorLog.post.say("\(error)")
        }
        let isOut = poster.finish()
        if domain.nats == nil {
            poster.tellWhoHeard(verbose, domain: domain.name)
        } else if verbose {
            StandardErrorLog.post.say("NATS does not tell who heard it")
        }
        let isHeard = !strict || poster.wasHeard(domain: domain.name)
        if !isOut || !isWhole || !isHeard { throw ExitCode.failure }
    }

    /// - Returns: Whether everything was posted. If not, the reasons were reported.
    private func post(with poster: inout Poster, _ input: StandardInput) throws -> Bool {
        if lines { return try poster.postLines(of: input, asObjects: json == "-") }
        if json == "-" { try poster.postObject(from: input) } else { try poster.post() }
        return true
    }
}

extension StandardErrorLog {
    static let post = StandardErrorLog("switchyard post")
}
