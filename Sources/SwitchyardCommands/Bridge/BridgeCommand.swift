// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The command `switchyard bridge`: joins the processes of this machine to those on a NATS cluster.
struct BridgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Joins the processes of this machine to the processes on a NATS cluster.",
        discussion: """
            What processes here post is published there, and what comes from there is posted here, as if \
            this process did. Programs need no change: they use the default center. One bridge for each \
            machine and domain; a second one ends at once. Nothing comes back to where it was posted, \
            however many machines have bridges.

            Requests, and values that are kept for observers that come late, stay on their side: a value \
            is carried as a notification like others. A group is another one on each side, so that one of \
            its members on each side hears a notification. Where that matters, have the programs use the \
            cluster themselves.

            Ctrl-C ends it, with a summary on standard error. While there is no connection, some \
            megabytes wait. What the bridge can't carry on is counted in its summary, and said when it happens; \
            the processes behind it don't learn of it.

            EXAMPLES
              switchyard bridge --nats nats://nats.example.org:4222
              switchyard bridge --nats tls://one.example.org,tls://two.example.org --domain org.example
              switchyard bridge --nats nats://127.0.0.1 --only org.example.Saved org.example.Removed

            EXIT STATUS
              0  It was ended by a signal.
              1  There is a bridge already, or the cluster or the processes here can't be reached.
              64 The arguments are wrong.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Only notifications of these names.", valueName: "name"))
    var only: [String] = []

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        if domain.nats == nil {
            throw ValidationError("--nats: name the cluster, as in nats://host:4222")
        }
        for name in only { try ValidationError.check(name: name, or: ", or none for all") }
    }

    func run() throws {
        EndSignals.hold()
        var here = domain
        here.nats = nil
        let session = BridgeSession(try here.join(.bridge), try domain.join(.bridge))
        let lock = try lock()
        let others = session.others
        if lock == nil || others.first?.isRunning == true {
            let other = others.first.map { "\($0.bridge)" } ?? "another process"
            StandardErrorLog.bridge.say("\(other) is a bridge of the domain \(here.name) already")
            throw ExitCode.failure
        }
        let ended = DispatchSemaphore(value: 0)
        EndSignals.whenTheyCome { _ in ended.signal() }
        let isWhole = session.run(only: only, until: ended)
        StandardErrorLog.print(session.summary)
        withExtendedLifetime(lock) {}
        if !isWhole { throw ExitCode.failure }
    }

    private func lock() throws -> BridgeLock? {
        do {
            return try BridgeLock(domain: domain.domain)
        } catch {
            StandardErrorLog.bridge.say("\(error)")
            throw ExitCode.failure
        }
    }
}

extension StandardErrorLog {
    static let bridge = StandardErrorLog("switchyard bridge")
}
