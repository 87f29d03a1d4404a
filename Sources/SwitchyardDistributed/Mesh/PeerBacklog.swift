// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What is posted while a member has not said what it wants to hear: when it has, it gets what it does.
///
/// There is one for each member that is being connected to, for the first time or because the
/// connection broke. Guard: the mesh's state.
final class PeerBacklog {
    /// Whose it is, if it ever was connected.
    let peer: DistributedPeer?
    /// How many notifications went to the connection that broke.
    let sentBefore: UInt64
    /// How many of these are known to have been lost with it.
    private let lostBefore: UInt64
    /// How many of these the peer says it has heard.
    private var heard: UInt64?
    /// Whether `ready` and `flush` wait for the peer: not for one with which this member does not get on.
    var isAwaited = true
    private(set) var frames = ByteWriter()
    /// How many there was no room for, of which name and object.
    private var lost: [DistributedInterest: UInt64] = [:]
    /// How many of yet other names and objects.
    private var lostOthers: UInt64 = 0

    init(peer: DistributedPeer? = nil, sentBefore: UInt64 = 0, lostBefore: UInt64 = 0) {
        self.peer = peer
        self.sentBefore = sentBefore
        self.lostBefore = lostBefore
    }

    /// No more than this is kept, however large the queues may be; but one notification always is.
    private static let mostBytes = 4 * 1024 * 1024

    func append(_ frame: borrowing ByteWriter, _ name: String, _ object: String?, limit: Int) {
        let isFull = frames.count + frame.count > min(limit, Self.mostBytes)
        if hasLost || isFull && frames.count > 0 {
            lose(DistributedInterest(name: name, object: object))
        } else {
            frame.withBytes { frames.append(bytes: $0) }
        }
    }

    /// How many there was no room for, wanted or not.
    var lostInAll: UInt64 { lost.values.reduce(lostOthers, +) }

    private var hasLost: Bool { !lost.isEmpty }

    private func lose(_ topic: DistributedInterest) {
        if lost.count < 1024 || lost[topic] != nil {
            lost[topic, default: 0] += 1
        } else {
            lostOthers += 1
        }
    }

    /// How many were lost of what the peer wants; of some it is not known.
    func lost(of wanted: WantedInterests) -> UInt64 {
        if wanted.all.isEmpty { return 0 }
        return lost.reduce(lostOthers) { sum, topic in
            wanted.match(topic.key.name ?? "", topic.key.object) ? sum + topic.value : sum
        }
    }

    /// Takes note of what the peer says it has heard. A connection that broke before both knew of each
    /// other brought nothing: the first word counts.
    func resume(from heard: UInt64) { if self.heard == nil { self.heard = heard } }

    /// How many were lost with the connection that broke.
    var lostWithConnection: UInt64 {
        heard.map { sentBefore - min($0, sentBefore) } ?? lostBefore
    }
}

extension MeshState {
    /// Has notifications kept for a member that has not said what it wants.
    mutating func keepForUndecided(_ address: String) {
        if isStopped { return }
        if let backlog = backlogs[address] {
            backlog.isAwaited = true
        } else {
            backlogs[address] = PeerBacklog()
        }
    }
}

extension Mesh {
    /// A member lives, as far as is known, and can't be connected to now.
    func awaitMember(at address: String) {
        state.withLock { $0.keepForUndecided(address) }
        redials.add(address)
    }

    /// A member has gone, and will not be there again: nobody reuses an address.
    func forget(_ address: String) {
        redials.forget(address)
        update { state in
            state.backlogs[address] = nil
            state.heardBefore[address] = nil
        }
    }
}
