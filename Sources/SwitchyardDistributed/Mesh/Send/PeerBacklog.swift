// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The notifications posted while a member has not said what it wants to hear. Once it has, it gets
/// those that it wants.
///
/// There is a backlog for each member that is being connected to, for the first time or after its
/// connection broke. Guard: the mesh's state.
final class PeerBacklog {
    /// The member, if it was ever connected.
    let peer: DistributedPeer?
    /// The connection that broke, as its poster knows it.
    struct Connection {
        /// The poster's number of it.
        var number: UInt64 = 0
        /// The number of notifications that went to it, or got a number there and were lost.
        var sent: UInt64 = 0
        /// The number of these that were not written.
        var unwritten: UInt64 = 0
        /// The number of those that were lost and have been reported here. The peer may not have
        /// been told.
        var reported: UInt64 = 0
    }

    private let before: Connection
    /// The number of notifications on that connection that the peer says it has heard.
    private var heard: UInt64?
    /// The number of these that did not come; nil if the peer does not say.
    private var missing: UInt64?
    /// Whether waits for readiness and flushing include the peer. They don't if this member or the
    /// peer refused the other.
    var isAwaited = true
    private(set) var frames = ByteWriter()
    /// The bytes of the center's own questions in `frames`.
    private var questionBytes = 0
    /// The number of notifications that found no room, by name and object.
    private var lost: [DistributedInterest: UInt64] = [:]
    /// The most names and objects in `lost`, and the most bytes that they have.
    private static let mostTopics = 16_384
    private static let mostTopicBytes = 4 * 1024 * 1024
    private var lostBytes = 0
    /// The number of lost notifications of further names and objects.
    private var lostOthers: UInt64 = 0

    init(peer: DistributedPeer? = nil, _ before: Connection = Connection()) {
        self.peer = peer
        self.before = before
    }

    /// Whether no notification went to a connection that broke.
    var hasSentNothing: Bool { before.sent == 0 }

    /// The most bytes that a backlog keeps, however large the queues may be. One notification is
    /// always kept.
    private static let mostBytes = 4 * 1024 * 1024

    /// Keeps a notification's frame.
    ///
    /// - Parameters:
    ///   - isQuestion: whether it is a center's own question, which is asked again if it is lost.
    ///   - countsLoss: whether it is counted as lost if there is no room for it.
    /// - Returns: Whether there was room.
    func append(
        _ frame: borrowing ByteWriter, _ name: String, _ object: String?, limit: Int,
        isQuestion: Bool = false, countsLoss: Bool
    ) -> Bool {
        let isFull = frames.count + frame.count > min(limit, Self.mostBytes)
        if hasLost || isFull && frames.count > 0 {
            if countsLoss { lose(DistributedInterest(name: name, object: object)) }
            return false
        }
        frame.withBytes { frames.append(bytes: $0) }
        if isQuestion { questionBytes += frame.count }
        return true
    }

    /// Whether posts are kept. A question of the center itself is nobody's post: a process that ends
    /// does not wait until it is taken, and loses nothing with it.
    var keepsPosts: Bool { frames.count > questionBytes }

    /// The number of notifications that found no room, wanted or not.
    var lostInAll: UInt64 { lost.values.reduce(lostOthers, +) }

    private var hasLost: Bool { !lost.isEmpty }

    private func lose(_ topic: DistributedInterest) {
        if let count = lost[topic] {
            lost[topic] = count + 1
        } else if lost.count < Self.mostTopics, lostBytes < Self.mostTopicBytes {
            lost[topic] = 1
            lostBytes += (topic.name?.utf8.count ?? 0) + (topic.object?.utf8.count ?? 0)
        } else {
            lostOthers += 1
        }
    }

    /// Returns the number of lost notifications that the peer wanted. Those in `lostOthers`, whose
    /// names are not known, count as wanted.
    func lost(of wanted: WantedInterests) -> UInt64 {
        if wanted.all.allSatisfy(\.isForCenters) { return 0 }
        return lost.reduce(lostOthers) { sum, topic in
            wanted.match(topic.key.name ?? "", topic.key.object) ? sum + topic.value : sum
        }
    }

    /// Notes how many notifications the peer says it has heard. Only its first word counts: later
    /// connections that broke before both ends knew each other brought nothing. If the word is
    /// about another connection, nothing came on this one: the peer may not even have learned that
    /// its list had been read.
    func resume(from heard: HeardCount) {
        if self.heard != nil { return }
        let isOfThis = heard.connection == nil || heard.connection == before.number
        self.heard = isOfThis ? min(heard.count, before.sent) : 0
        missing = isOfThis ? heard.missing.map { min($0, heard.count, before.sent) } : 0
    }

    /// Whether there was a connection to the peer before.
    var isForReturn: Bool { peer != nil }

    /// Whether notifications went to the connection that broke, and the peer has not said yet how
    /// many of them it has heard.
    var isAskedForHeard: Bool { before.sent > 0 && heard == nil }

    /// The number of notifications lost with the connection that broke, without those of which the
    /// peer knows.
    var lostWithConnection: UInt64 { heard.map { before.sent - $0 } ?? before.unwritten }

    /// The number of notifications lost with the connection that broke that have not been reported
    /// here. The peer knows of more if it found a gap in the numbers before this process was to
    /// report it, and of fewer if it never heard of what was reported here.
    var unreportedWithConnection: UInt64 {
        guard let heard else { return before.unwritten }
        // Not known if some came: what was reported may be before these or behind them.
        guard let missing else { return before.sent - heard - (heard == 0 ? before.reported : 0) }
        let lost = before.sent - heard + missing
        return lost - min(lost, before.reported)
    }

    /// Returns the peer, or what its address tells of it.
    func knownPeer(at address: String) -> DistributedPeer {
        peer ?? DistributedPeer(id: address, processIdentifier: 0, processName: "?")
    }
}
