// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWire

/// Another process of the same domain.
public struct DistributedPeer: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The peer's id, different from that of every other peer, also of an earlier or later process
    /// with the same process identifier.
    public let id: String
    /// The process identifier by the kernel's word; 0 if the process is not on this machine.
    public let processIdentifier: Int32
    /// The name that the process gives itself.
    public let processName: String

    /// Creates a peer, as a transport knows it.
    public init(id: String, processIdentifier: Int32, processName: String) {
        self.id = id
        self.processIdentifier = processIdentifier
        self.processName = processName
    }

    /// The process's name and number.
    ///
    /// Characters that a terminal would obey are escaped, because the name is the other process's
    /// own word.
    public var description: String { "\(processName.shown) (\(processIdentifier))" }
}

/// The status of a peer and of the connection to it.
///
/// The numbers are those of the connection, with what was lost between it and the one before. They
/// begin anew when a connection broke; the loss hook is told of all losses. They include the messages of centers to each other: those by which they ask for latest
/// values, ask and answer requests, and choose members of groups.
public struct DistributedPeerStatus: Sendable, CustomStringConvertible {
    /// The peer.
    public internal(set) var peer: DistributedPeer
    /// The interests of the peer; nil while it has not said what it observes.
    public internal(set) var interests: [DistributedInterest]?
    /// The number of notifications handed over to the peer, including those that wait. Those that
    /// are ``lost`` are not among them.
    public let sent: UInt64
    /// The number of bytes that wait because the peer does not read.
    public let queuedBytes: Int
    /// The number of notifications that the peer did not get, because too much waited for it or a
    /// connection broke.
    public let lost: UInt64
    /// The number of notifications that came from the peer.
    public let received: UInt64
    /// The number of notifications from the peer that were lost on the way.
    public let missed: UInt64

    /// Creates a status, as a transport knows it.
    public init(
        peer: DistributedPeer, interests: [DistributedInterest]?, sent: UInt64 = 0,
        queuedBytes: Int = 0, lost: UInt64 = 0, received: UInt64 = 0, missed: UInt64 = 0
    ) {
        self.peer = peer
        self.interests = interests
        self.sent = sent
        self.queuedBytes = queuedBytes
        self.lost = lost
        self.received = received
        self.missed = missed
    }

    /// The status in one line.
    public var description: String {
        let interests =
            interests.map { all in
                all.isEmpty
                    ? "observes nothing"
                    : "observes \(all.map(\.description).sorted().joined(separator: ", "))"
            }
            ?? "has not said what it observes"
        return "\(peer): \(interests); \(sent) sent, \(lost) lost, \(queuedBytes) bytes wait, "
            + "\(received) received, \(missed) missed"
    }
}
