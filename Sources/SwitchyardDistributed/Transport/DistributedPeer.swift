// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Another process of the same domain.
public struct DistributedPeer: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// Unlike that of any other peer, also of one with the same process identifier before or after.
    public let id: String
    /// The process, as the kernel knows it; 0 where it is not on this machine.
    public let processIdentifier: Int32
    /// What the process calls itself.
    public let processName: String

    /// A peer, as a transport knows it.
    public init(id: String, processIdentifier: Int32, processName: String) {
        self.id = id
        self.processIdentifier = processIdentifier
        self.processName = processName
    }

    /// The process's name and number.
    public var description: String { "\(processName) (\(processIdentifier))" }
}

/// What is known of a peer and of the way there.
public struct DistributedPeerStatus: Sendable, CustomStringConvertible {
    /// Who it is.
    public let peer: DistributedPeer
    /// What it observes; nil while it has not said so.
    public internal(set) var interests: [DistributedInterest]?
    /// Notifications handed over to it, those that wait among them.
    public let sent: UInt64
    /// Bytes that wait for it because it does not read.
    public let queuedBytes: Int
    /// Notifications that it did not get because too much waited for it.
    public let lost: UInt64
    /// Notifications from it.
    public let received: UInt64
    /// Notifications from it that did not come.
    public let missed: UInt64

    /// What a transport knows of a peer.
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

/// Sixteen random bytes that name a member of the mesh.
package struct PeerID: Hashable, Sendable, CustomStringConvertible {
    package static let size = 16

    private let high: UInt64
    private let low: UInt64

    package static func random() -> PeerID {
        PeerID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    package func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// 32 hexadecimal digits.
    package var description: String {
        withBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
