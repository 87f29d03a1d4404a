// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardDistributed

/// Which processes a command speaks to.
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

    /// For a sentence.
    var name: String { "\"\(domain)\"" + (nats.map { " on \($0)" } ?? "") }

    func validate() throws {
        do {
            try DistributedNotificationCenter.check(domain: domain)
        } catch {
            throw ValidationError("--domain: \(error)")
        }
    }

    /// Joins the domain, under a name that says what this process does: other processes of the tool are
    /// there as well.
    ///
    /// - Parameter notices: where problems with other processes are told.
    /// - Throws: an exit code, when it was told that that is not possible.
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
    /// The process's name and number. Of one that has not introduced itself, the name that the
    /// system knows.
    var title: String { "\(name) (\(processIdentifier))" }

    /// What it calls itself, or is called by the system.
    var name: String {
        guard processName == "?" else { return processName }
        let path = "/proc/\(processIdentifier)/comm"
        guard let file = try? String(contentsOfFile: path, encoding: .utf8) else { return "?" }
        return file.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether it is what somebody calls `process`: by number, by name, or by its name's first word.
    func isCalled(_ process: String) -> Bool {
        "\(processIdentifier)" == process || name == process
            || name.prefix { $0 != " " } == process
    }
}

extension [DistributedPeer] {
    /// All of them, for a sentence.
    var titles: String { map(\.title).joined(separator: ", ") }
}
