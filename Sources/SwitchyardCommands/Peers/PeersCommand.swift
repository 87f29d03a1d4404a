// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The command `switchyard peers`: lists the processes in a domain, what they observe, and what
/// they know of each other.
struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Lists the processes that can hear each other.",
        discussion: """
            For each process: what it observes, and what it says of its own peers: how many \
            notifications it sent to them, how many more were lost on the way, how many bytes \
            wait because they are not read, how many notifications it received, and how many it missed. The \
            messages count with them by which centers ask for latest values, answer requests and choose \
            members of groups. The numbers begin anew when a connection broke. \
            Processes that do not answer, as those that are stopped, are listed as such.

            EXAMPLES
              switchyard peers
              switchyard peers --domain org.example --within 200ms
              switchyard peers --json | jq 'select(.peers[]?.lost > 0)'

            EXIT STATUS
              0  Those that are there were listed; that may be none.
              1  Processes can't be reached, the output can't be written, or Ctrl-C came before they had
                 answered.
              64 The arguments are wrong.
            """)

    @Flag(help: "Print a JSON object for each process.")
    var json = false

    @Option(
        help: ArgumentHelp("The time to wait for processes that do not answer.", valueName: "time"))
    var within = TimeLimit(seconds: 1)

    @OptionGroup var domain: DomainOptions

    func run() throws {
        EndSignals.hold()
        let interrupt = Interrupt()
        EndSignals.whenTheyCome { _ in interrupt.raise() }
        let center = try domain.join(.peers)
        let found = blocking(unless: interrupt) { [within] in
            await PeerReport.all(in: center, within: within)
        }
        guard let reports = found else {
            StandardErrorLog.peers.say("it was ended before the processes had answered")
            throw ExitCode.failure
        }
        // The center has reported the refusals already.
        if NATSCluster.hidesPeers(from: center) { throw ExitCode.failure }
        if reports.isEmpty, !json {
            StandardErrorLog.peers.say("there is no other process in the domain \(domain.name)")
        }
        let output = OutputBuffer()
        for report in reports {
            if json {
                output.append(Array("\(try JSONLine.text(of: report))\n".utf8))
            } else {
                output.append { report.printText(to: &$0) }
            }
        }
        output.flush()
        try output.check(.peers)
    }
}

extension StandardErrorLog {
    static let peers = StandardErrorLog("switchyard peers")
}
