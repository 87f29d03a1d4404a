// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The command `switchyard observe`: prints the notifications of all processes, or runs a command
/// for each.
struct ObserveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observe",
        abstract: "Prints the notifications that processes of the user post.",
        discussion: """
            A line for each: name, object, userInfo and sender. Says on standard error when it is \
            ready: what other processes post from then on is heard. Ctrl-C ends it, with a summary on \
            standard error. While nobody reads its output, it reads no notifications either; those that \
            are lost then are counted, here and by the process that posted them. At the end, lines that \
            nobody reads within a second are given up, and do not count as printed. In the summary, lost: \
            5 or more, or an unknown number, means that a process ended without saying how many it had \
            posted: it was killed, for example.

            With --exec, nothing is printed: a command is run for each, one at a time, in order. \
            It finds the notification as a line of JSON on its standard input, and SWITCHYARD_NAME, \
            SWITCHYARD_OBJECT (if there is one) and SWITCHYARD_SENDER_PID in its environment.

            At the end (--count, --for, Ctrl-C) nothing more is received; the commands for what was \
            received before are still run. Ctrl-C after that, or SIGTERM at any time, ends the command \
            that runs and gives up those that wait: the summary counts them as not run. SIGTERM ends the \
            command's shell; a program that the shell waits for goes on, unless the command begins with \
            exec, or the shell has become that program, as some do if it stands alone. A command \
            ended in this way does not count as failed; a terminal's Ctrl-C reaches it too, also the first.

            EXAMPLES
              switchyard observe
              switchyard observe org.example.ConverterAdded --object text
              switchyard observe org.example.Build --count 1 --for 10m && echo built
              switchyard observe org.example.Event --json | jq .userInfo
              switchyard observe org.example.Saved --exec 'jq -r .userInfo.path >>saved'

            EXIT STATUS
              0  It was ended by Ctrl-C, SIGTERM, SIGHUP, --count or --for, or whoever read its output has \
            closed that.
              1  --for ended it before --count, a command failed or was not run, the output can't be written \
            (it was closed from the beginning, or the disk is full), or processes can't be reached.
              64 The arguments are wrong.
            """)

    @Argument(help: ArgumentHelp("The names to observe; none: all.", valueName: "name"))
    var names: [String] = []

    @Option(help: "Only notifications about this object.")
    var object: String?

    @OptionGroup var output: LineOptions

    @Flag(help: "Print also when it came.")
    var time = false

    @Flag(help: "Begin with the latest values: what was posted to be kept, if its poster is there.")
    var latest = false

    @Option(
        help: ArgumentHelp(
            "Run this command with /bin/sh for each, in place of printing it.", valueName: "command"
        ))
    var exec: String?

    @Flag(name: [.short, .long], help: "Suppress the ready message and the summary.")
    var quiet = false

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        for name in names {
            try ValidationError.check(name: name, or: ", or none to observe all")
        }
        try ValidationError.check(object: object, or: "nobody can post about it")
        if exec?.isEmpty == true { throw ValidationError("--exec takes a command") }
    }

    func run() throws {
        EndSignals.hold()
        let printer = NotificationPrinter(asJSON: output.json || exec != nil, showsTime: time)
        let outlet: any NotificationOutlet =
            if let exec {
                try CommandOutlet(exec, printer, isQuiet: quiet)
            } else {
                PrintOutlet(printer)
            }
        let session = ObserveSession(
            try domain.join(.observe), outlet, count: output.count ?? .max, isQuiet: quiet)
        let end = session.run(
            names: names, object: object, latestFirst: latest, limit: output.limit)
        if end == .outputClosed { return }
        if !quiet { StandardErrorLog.print(session.summary) }
        if let failure = outlet.failure {
            StandardErrorLog.observe.say(failure)
            throw ExitCode.failure
        }
        if end == .failure || end == .timeUp && output.count != nil { throw ExitCode.failure }
    }
}

extension StandardErrorLog {
    static let observe = StandardErrorLog("switchyard observe")
}
