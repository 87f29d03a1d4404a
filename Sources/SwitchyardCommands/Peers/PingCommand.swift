// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardDistributed

/// `switchyard ping`: whether processes answer, and how fast.
struct PingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Asks processes for a sign of life, and prints how long it took.",
        discussion: """
            Processes answer on a thread that their own work does not hold up; one that does not \
            answer is stopped, or hangs in an observer that hears where notifications arrive.

            EXAMPLES
              switchyard ping
              switchyard ping converter 4711 --count 1000

            EXIT STATUS
              0  All of them answered.
              1  Some did not, which are named; or there is none.
              64 The arguments are wrong.
            """)

    @Argument(
        help: ArgumentHelp(
            "Processes, by number, by name, or by its first word; none: all.", valueName: "process")
    )
    var processes: [String] = []

    @Option(help: "How often to ask each.")
    var count = 1

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "time"))
    var within = TimeLimit(seconds: 1)

    @Flag(help: "Print a JSON object for each process, with microseconds.")
    var json = false

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        if count < 1 { throw ValidationError("--count takes one or more") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let center = try domain.join(.ping)
        let roll = blocking { [within] in await Roll.call(in: center, within: within) }
        var allAnswered = true
        for name in processes where !roll.present.contains(where: { $0.peer.isCalled(name) }) {
            Notices.ping.say("there is no process '\(name)' in the domain \"\(domain.domain)\"")
            allAnswered = false
        }
        let wanted = roll.present.filter { status in
            processes.isEmpty || processes.contains { status.peer.isCalled($0) }
        }
        if roll.present.isEmpty, processes.isEmpty {
            Notices.ping.say("there is no other process in the domain \"\(domain.domain)\"")
            allAnswered = false
        }
        let output = OutputBuffer()
        for status in wanted where output.failure == nil {
            let times = roll.answers(status) ? ask(status.peer, center) : PingTimes(asked: 1)
            if times.isComplete {
                output.append { times.print(status.peer, asJSON: json, to: &$0) }
            } else {
                Notices.ping.say(
                    "\(status.peer.title) did not answer within \(within)" + times.words)
                allAnswered = false
            }
            output.flush()
        }
        if let failure = output.failure, failure.code != EPIPE {
            Notices.ping.say("cannot write to standard output: \(failure)")
            throw ExitCode.failure
        }
        if !allAnswered { throw ExitCode.failure }
    }

    /// Asks a process, one time after another, until it does not answer.
    private func ask(
        _ peer: DistributedPeer, _ center: DistributedNotificationCenter
    ) -> PingTimes {
        blocking { [count, within] in
            var times = PingTimes(asked: count)
            for _ in 0..<count {
                guard let time = await center.ping(peer, within: within.duration) else { break }
                times.add(time)
            }
            return times
        }
    }
}

extension Notices {
    static let ping = Notices(of: "ping")
}
