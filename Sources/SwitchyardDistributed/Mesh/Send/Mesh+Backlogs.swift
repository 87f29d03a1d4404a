// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

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
        if let loss { intake?.report(loss) }
        intake?.hasGone(address)
    }

    /// Tries again later to connect to a member, after an error that does not pass by itself, and
    /// drops the notifications that wait for it. Gives the member up after some minutes: if it has
    /// died, its socket gives the same error for ever.
    func keepTrying(_ address: String) {
        if redials.tries(for: address) >= Self.mostTries { return forget(address) }
        var loss: DistributedLoss?
        var jobs: [GroupExchange.GivenJob] = []
        update { state in
            state.backlogs[address] = nil
            jobs = intake?.groups.takeKept(for: address) ?? []
            loss = state.unsettled.removeValue(forKey: address)
        }
        if let loss { intake?.report(loss) }
        intake?.groups.chooseAgain(jobs)
        redials.add(address)
    }

    /// With the growing pauses between them, these take four minutes.
    private static var mostTries: UInt64 { 32 }
}
