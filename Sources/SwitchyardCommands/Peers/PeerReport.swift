// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The report of `switchyard peers` on one process.
struct PeerReport: Sendable {
    /// The status of the process, as this process knows it.
    let status: DistributedPeerStatus
    /// The process's answer about its own peers, without this process; nil if it does not answer.
    let peers: [DistributedPeerStatus]?
    let isOnServer: Bool

    /// Reports on all processes. Waits for the silent ones together.
    static func all(
        in center: DistributedNotificationCenter, within limit: TimeLimit
    ) async -> [PeerReport] {
        let survey = await PeerSurvey.take(in: center, within: limit, awaitsInterests: true)
        return await withTaskGroup(of: (Int, PeerReport).self) { group in
            for (index, status) in survey.present.enumerated() {
                let answers = survey.answers(status)
                group.addTask { (index, await report(on: status, answers, center, limit)) }
            }
            var reports: [(Int, PeerReport)] = []
            for await report in group { reports.append(report) }
            return reports.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func report(
        on status: DistributedPeerStatus, _ answers: Bool, _ center: DistributedNotificationCenter,
        _ limit: TimeLimit
    ) async -> PeerReport {
        let isOnServer = !center.tracksDelivery
        guard answers else {
            return PeerReport(status: status, peers: nil, isOnServer: isOnServer)
        }
        let all = await center.status(of: status.peer, within: limit.duration)
        let own = center.ownPeer.id
        return PeerReport(
            status: status, peers: all?.filter { $0.peer.id != own }, isOnServer: isOnServer)
    }

    // MARK: - Printing

    func printText(to text: inout ByteWriter) {
        text.append(string: status.peer.title)
        text.append("\n  observes: ")
        text.append(string: interests)
        text.append("\n")
        guard let peers else { return text.append("  does not answer\n") }
        for peer in peers {
            text.append("  with ")
            text.append(string: peer.peer.title)
            text.append(": ")
            // These numbers are not known with a server in between.
            if !isOnServer {
                text.append(
                    string:
                        "\(peer.sent) sent, \(peer.lost) lost, \(peer.queuedBytes) bytes wait, ")
            }
            text.append(string: "\(peer.received) received, \(peer.missed) missed\n")
        }
    }

    private var interests: String {
        guard let interests = status.interests else { return "it has not said" }
        return interests.isEmpty
            ? "nothing" : interests.map(\.description).sorted().joined(separator: ", ")
    }
}

// MARK: - JSON

extension PeerReport: Encodable {
    private enum Key: CodingKey {
        case process, pid, answers, observes, peers
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(status.peer.name, forKey: .process)
        try members.encode(status.peer.processIdentifier, forKey: .pid)
        try members.encode(peers != nil, forKey: .answers)
        try members.encodeIfPresent(status.interests?.map(Interest.init), forKey: .observes)
        try members.encodeIfPresent(peers?.map(Peer.init), forKey: .peers)
    }

    private struct Interest: Encodable {
        let name: String?
        let object: String?

        init(_ interest: DistributedInterest) {
            name = interest.name
            object = interest.object
        }
    }

    private struct Peer: Encodable {
        let process: String
        let pid: Int32
        let sent: UInt64
        let lost: UInt64
        let queuedBytes: Int
        let received: UInt64
        let missed: UInt64

        init(_ status: DistributedPeerStatus) {
            process = status.peer.name
            pid = status.peer.processIdentifier
            sent = status.sent
            lost = status.lost
            queuedBytes = status.queuedBytes
            received = status.received
            missed = status.missed
        }
    }
}
