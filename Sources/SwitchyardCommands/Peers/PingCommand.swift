// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The command `switchyard ping`: shows whether processes answer, and how fast.
struct PingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Asks processes for a sign of life, and prints the time until it came.",
        discussion: """
            Processes answer on a thread that their own work does not hold up; a process that does \
            not answer is stopped, or hangs in an observer on the thread where notifications arrive. Ctrl-C \
            ends it, and prints what was found out until then.

            EXAMPLES
              switchyard ping
              switchyard ping converter 4711 --count 1000

            EXIT STATUS
              0  All of them answered; with Ctrl-C, as with ping(8), those that were asked.
              1  Some did not, which are named; or there is none; or Ctrl-C came before an answer.
              64 The arguments are wrong.
            """)

    @Argument(
        help: ArgumentHelp(
            "Processes, by number, by name, or by its first word; none: all.", valueName: "process")
    )
    var processes: [String] = []

    @Option(help: "The number of questions to each process.")
    var count = 1

    @Option(help: ArgumentHelp("The time to wait for an answer.", valueName: "time"))
    var within = TimeLimit(seconds: 1)

    @Flag(help: "Print a JSON object for each process, with microseconds.")
    var json = false

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        try ValidationError.check(count: count)
    }

    func run() throws {
        EndSignals.hold()
        let interrupt = Interrupt()
        EndSignals.whenTheyCome { _ in interrupt.raise() }
        let center = try domain.join(.ping)
        let taken = blocking(unless: interrupt) { [within, processes] in
            await PeerSurvey.take(in: center, within: within, awaiting: processes)
        }
        guard let survey = taken else {
            StandardErrorLog.ping.say("it was ended before any process was asked")
            throw ExitCode.failure
        }
        let areThere = reportMissingPeers(in: survey)
        var session = PingSession(center, count: count, within: within, asJSON: json, interrupt)
        try session.ask(wanted(of: survey), survey)
        try session.output.check(.ping)
        if !areThere || session.hasSilence || interrupt.isRaised && !session.hasAnswer {
            throw ExitCode.failure
        }
    }

    private func wanted(of survey: PeerSurvey) -> [DistributedPeerStatus] {
        survey.present.filter { status in
            processes.isEmpty || processes.contains { status.peer.isCalled($0) }
        }
    }

    /// - Returns: Whether all wanted processes are there.
    private func reportMissingPeers(in survey: PeerSurvey) -> Bool {
        if processes.isEmpty, survey.present.isEmpty {
            StandardErrorLog.ping.say("there is no other process in the domain \(domain.name)")
            return false
        }
        let missing = processes.filter { name in
            !survey.present.contains { $0.peer.isCalled(name) }
        }
        for name in missing {
            StandardErrorLog.ping.say("there is no process '\(name)' in the domain \(domain.name)")
        }
        return missing.isEmpty
    }
}

extension StandardErrorLog {
    static let ping = StandardErrorLog("switchyard ping")
}
