// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Notifications that were lost between this process and another.
public struct DistributedLoss: Sendable, Hashable, CustomStringConvertible {
    /// The direction of the lost notifications.
    public enum Direction: Sendable, Hashable {
        /// From the peer to this process.
        case incoming
        /// From this process to the peer.
        case outgoing
    }

    /// The other process.
    public internal(set) var peer: DistributedPeer
    /// The direction of the lost notifications.
    public let direction: Direction
    /// The number of lost notifications; 0 if that is not known. It is not known if the peer had
    /// promised to say at which number it ends, and ended without doing so (it was killed, or
    /// crashed). Nor is it known for a peer that never said whether it wanted the notifications, or
    /// whose connection broke and that has not said since how many of them it heard.
    ///
    /// Beyond 16,384 names and objects that found no room before a peer said what it observes, the
    /// number includes those that it did not want.
    public let count: UInt64

    /// The reason, if the transport knows it.
    private var reason: String?

    /// Creates a loss, as a transport knows of it.
    public init(peer: DistributedPeer, direction: Direction, count: UInt64) {
        self.peer = peer
        self.direction = direction
        self.count = count
    }

    /// Creates a loss with its reason, which stands in the description: *the disk was full*.
    public init(peer: DistributedPeer, direction: Direction, count: UInt64, reason: String) {
        self.init(peer: peer, direction: direction, count: count)
        self.reason = reason
    }

    /// Whether the number of lost notifications is known.
    public var isCountKnown: Bool { count > 0 }

    /// The loss and its cause, for people.
    public var description: String {
        if let reason {
            let other = peer.processIdentifier == 0 ? peer.processName : peer.description
            let way = direction == .incoming ? "from" : "to"
            return isCountKnown
                ? "\(what) \(were) lost on the way \(way) \(other): \(reason)"
                : "notifications \(way) \(other) may be lost, how many is not known: \(reason)"
        }
        return switch (direction, isCountKnown) {
        case (.incoming, true):
            "\(what) from \(peer) \(were) lost: this process did not read in time, the connection "
                + "broke, or the other process ended"
        case (.incoming, false):
            "notifications from \(peer) may be lost, how many is not known: it ended without saying "
                + "how many it had posted"
        case (.outgoing, true):
            "\(what) to \(peer) \(were) lost: it does not read, and no more may wait for it, the "
                + "connection broke, or this process ended"
        case (.outgoing, false):
            "notifications to \(peer) may be lost, how many is not known: it had not said what it "
                + "observes when this process ended"
        }
    }

    private var what: String { count == 1 ? "1 notification" : "\(count) notifications" }
    private var were: String { count == 1 ? "was" : "were" }
}
