// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// Members that can't be reached now, and the notifications kept for them.

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

extension MeshState {
    /// Whether there is a connection from a member, which lives.
    borrowing func isHeard(_ address: String) -> Bool { heardPeer(address) != nil }

    /// The member with a connection to this one; nil if there is none.
    borrowing func heardPeer(_ address: String) -> DistributedPeer? {
        inlets.values.first { $0.peer?.id == address }?.peer
    }

    /// Whether there is a connection from a member that has said there that it chooses the members
    /// of groups.
    borrowing func isHeardChoosing(_ address: String) -> Bool {
        inlets.values.contains { $0.peer?.id == address && $0.chooses }
    }
}

extension Mesh {
    /// Keeps notifications for a member that lives, as far as is known, and can't be connected to
    /// now. Tries again later.
    func awaitMember(at address: String) {
        state.withLock { $0.keepForUndecided(address) }
        redials.add(address)
    }

    /// Forgets a member that has gone. It will not come back, because no address is used twice.
    func forget(_ address: String) {
        redials.forget(address)
        unreachable[address] = nil
        readLast(from: address)
        var loss: DistributedLoss?
        update { state in
            state.backlogs[address] = nil
            state.heardBefore[address] = nil
            state.absences[address] = nil
            state.endedHere.remove(address)
            loss = state.unsettled.removeValue(forKey: address)
        }
        introductions.withLock { $0[address] = nil }
        reportedEnds.withLock { $0[address] = nil }
        if let loss { intake?.report(loss) }
        intake?.hasGone(address)
        // It may live after all, and be heard for as long as its connection lasts. What comes there
        // is not for groups here if it said so.
        if let peer = state.withLock({ $0.heardPeer(address) }) { intake?.hasCome(peer) }
        if state.withLock({ $0.isHeardChoosing(address) }) { intake?.chooses(address) }
    }

    /// Tries again later to connect to a member, after an error that does not pass by itself, and
    /// drops the notifications that wait for it. Gives the member up after some minutes: if it has
    /// died, its socket gives the same error for ever.
    func keepTrying(_ address: String) {
        if redials.tries(for: address) >= Self.mostTries { return forget(address) }
        var losses: [DistributedLoss?] = []
        var jobs: [GroupExchange.GivenJob] = []
        update { state in
            losses.append(state.backlogs.removeValue(forKey: address)?.lossIfGivenUp)
            jobs = intake?.groups.takeKept(for: address) ?? []
            losses.append(state.unsettled.removeValue(forKey: address))
        }
        for case let loss? in losses { intake?.report(loss) }
        intake?.groups.chooseAgain(jobs)
        redials.add(address)
    }

    /// With the growing pauses between them, these take four minutes.
    private static var mostTries: UInt64 { 32 }
}

extension PeerBacklog {
    /// The loss of a peer that was connected before, when nothing is kept for it any more.
    fileprivate var lossIfGivenUp: DistributedLoss? {
        guard let peer, keepsPosts || lostInAll > 0 || !hasSentNothing else { return nil }
        return DistributedLoss(
            peer: peer, direction: .outgoing, count: 0,
            reason: "the connection to it broke, and this process may not connect to it again now: "
                + "what waits for it is given up")
    }
}
