// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The options that select the processes with which a command exchanges notifications.
struct DomainOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The domain: only processes that use the same one hear each other.", valueName: "name"))
    var domain = "default"

    @Option(
        help: ArgumentHelp(
            "Speak to the processes on a NATS cluster, in place of those of this machine: servers, as in "
                + "nats://host:4222, with commas between them. NATS_USER, NATS_CREDS, NATS_CA and the like "
                + "are heeded. (With the package's trait NATS.)", valueName: "url"))
    var nats: String?

    /// The domain's name, with the cluster if there is one, for a sentence.
    var name: String { "\"\(domain)\"" + (nats.map { " on \(NATSCluster.name($0))" } ?? "") }

    func validate() throws {
        do {
            try DistributedNotificationCenter.check(domain: domain)
        } catch {
            throw ValidationError("--domain: \(error)")
        }
    }

    /// Joins the domain. Sets this process's name to the command's, because other processes of the
    /// tool are in the domain as well.
    ///
    /// - Parameter notices: reports problems with other processes.
    /// - Throws: An exit code, after the reason has been reported.
    func join(_ notices: Notices) throws -> DistributedNotificationCenter {
        ProcessInfo.processInfo.processName = notices.speaker
        do {
            let center = try makeCenter()
            center.onProblem { notices.say($0.description) }
            return center
        } catch {
            notices.say("\(error)")
            throw ExitCode.failure
        }
    }

    private func makeCenter() throws -> DistributedNotificationCenter {
        guard let nats else { return try DistributedNotificationCenter(domain: domain) }
        return try NATSCluster.center(nats, domain: domain)
    }
}

extension DistributedPeer {
    /// The process's name and number, for a sentence on a terminal.
    var title: String { "\(processName.shown) (\(processIdentifier))" }

    /// The process's name, as it or the system gives it.
    var name: String { processName }

    /// Returns whether `process` means this process: its number, its name, or its name's first
    /// word.
    func isCalled(_ process: String) -> Bool {
        "\(processIdentifier)" == process || name == process
            || name.prefix { $0 != " " } == process
    }
}

extension [DistributedPeer] {
    /// The titles of all processes, for a sentence.
    var titles: String { map(\.title).joined(separator: ", ") }
}
