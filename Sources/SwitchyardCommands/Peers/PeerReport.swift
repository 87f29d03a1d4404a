// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

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
        let roll = await Roll.call(in: center, within: limit)
        return await withTaskGroup(of: (Int, PeerReport).self) { group in
            for (index, status) in roll.present.enumerated() {
                let answers = roll.answers(status)
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
            // With a server in between, these numbers are not known.
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

    func printJSON(to text: inout ByteWriter) {
        text.append(firstMembersOf: status.peer)
        text.append(key: "answers")
        text.append(peers == nil ? "false" : "true")
        if let interests = status.interests {
            text.append(key: "observes")
            text.append(array: interests) { interest, text in
                text.append("{")
                if let name = interest.name { text.append(member: "name", name) }
                if interest.name != nil, interest.object != nil { text.append(",") }
                if let object = interest.object { text.append(member: "object", object) }
                text.append("}")
            }
        }
        if let peers {
            text.append(key: "peers")
            text.append(array: peers) { Self.append($0, to: &$1) }
        }
        text.append("}\n")
    }

    private static func append(_ peer: DistributedPeerStatus, to text: inout ByteWriter) {
        text.append(firstMembersOf: peer.peer)
        text.append(key: "sent")
        text.append(decimal: peer.sent)
        text.append(key: "lost")
        text.append(decimal: peer.lost)
        text.append(key: "queuedBytes")
        text.append(decimal: peer.queuedBytes)
        text.append(key: "received")
        text.append(decimal: peer.received)
        text.append(key: "missed")
        text.append(decimal: peer.missed)
        text.append("}")
    }
}

extension ByteWriter {
    /// Begins a JSON object about a process.
    mutating func append(firstMembersOf peer: DistributedPeer) {
        append(firstKey: "process")
        append(quoted: peer.name)
        append(key: "pid")
        append(decimal: peer.processIdentifier)
    }

    fileprivate mutating func append(member key: StaticString, _ value: String) {
        append("\"")
        append(key)
        append("\":")
        append(quoted: value)
    }

    fileprivate mutating func append<Element>(
        array elements: [Element], _ body: (Element, inout ByteWriter) -> Void
    ) {
        append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            body(element, &self)
        }
        append("]")
    }
}
