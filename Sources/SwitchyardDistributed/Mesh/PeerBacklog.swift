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
    /// How many of these are known to have been lost with it. The peer may know of more.
    let lostBefore: UInt64
    private(set) var frames = ByteWriter()
    /// How many there was no room for.
    private(set) var lost: UInt64 = 0

    init(peer: DistributedPeer? = nil, sentBefore: UInt64 = 0, lostBefore: UInt64 = 0) {
        self.peer = peer
        self.sentBefore = sentBefore
        self.lostBefore = lostBefore
    }

    /// No more than this is kept, however large the queues may be.
    private static let mostBytes = 4 * 1024 * 1024

    func append(_ frame: borrowing ByteWriter, limit: Int) {
        if lost > 0 || frames.count + frame.count > min(limit, Self.mostBytes) {
            lost += 1
        } else {
            frame.withBytes { frames.append(bytes: $0) }
        }
    }
}

extension MeshState {
    /// Has notifications kept for a member that has not said what it wants.
    mutating func keepForUndecided(_ address: String) {
        if isStopped || backlogs[address] != nil { return }
        backlogs[address] = PeerBacklog()
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
