// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser
internal import Foundation
internal import SwitchyardCore
public import SwitchyardDistributed
internal import SwitchyardWire

/// The options that select the processes with which a command exchanges notifications.
public struct DomainOptions: ParsableArguments, Sendable {
    /// The domain's name.
    @Option(
        help: ArgumentHelp(
            "The domain: only processes that use the same one hear each other.", valueName: "name"))
    public var domain = "default"

    /// The addresses of a cluster's servers; nil for the processes of this machine.
    @Option(
        help: ArgumentHelp(
            "Speak to the processes on a NATS cluster, in place of those of this machine: servers, as in "
                + "nats://host:4222, with commas between them. NATS_USER, NATS_CREDS, NATS_CA and the like "
                + "are heeded. (With the package's trait NATS.)", valueName: "url"))
    public var nats: String?

    /// Creates the options, as ArgumentParser does.
    public init() {}

    /// The domain's name, with the cluster if there is one, for a sentence.
    package var name: String {
        "\"\(domain)\"" + (nats.map { " on \(NATSCluster.name($0))" } ?? "")
    }

    /// Checks that the domain's name can be one.
    public func validate() throws {
        do {
            try DistributedNotificationCenter.check(domain: domain)
        } catch {
            throw ValidationError("--domain: \(error)")
        }
    }

    /// Joins the domain. Sets this process's name to the command's, because several processes of
    /// one program may be in the domain.
    ///
    /// - Parameter log: reports problems with other processes.
    /// - Throws: An exit code, after the reason has been reported.
    public func join(_ log: StandardErrorLog) throws -> DistributedNotificationCenter {
        ProcessInfo.processInfo.processName = log.speaker
        do {
            let center = try makeCenter()
            center.onProblem { log.say($0.description) }
            return center
        } catch {
            log.say("\(error)")
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
    package var title: String { "\(processName.shown) (\(processIdentifier))" }

    /// The process's name, as it or the system gives it.
    package var name: String { processName }

    /// Returns whether `process` means this process: its number, its name, or its name's first
    /// word.
    package func isCalled(_ process: String) -> Bool {
        "\(processIdentifier)" == process || name == process
            || name.prefix { $0 != " " } == process
    }
}

extension [DistributedPeer] {
    /// The titles of all processes, for a sentence.
    package var titles: String { map(\.title).joined(separator: ", ") }
}
