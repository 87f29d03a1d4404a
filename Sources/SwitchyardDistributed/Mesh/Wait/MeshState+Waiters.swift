// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// The waiters, and the peers for which their goals are not reached.
extension MeshState {
    /// A waiter, and a peer for which its goal was not reached when all were last looked at.
    struct Wait {
        let waiter: MeshWaiter
        var missing: MissingPeer
    }

    /// A peer for which a goal is not reached.
    enum MissingPeer {
        /// The connection on which it posts to this member, by token.
        case inlet(UInt64)
        /// The connection on which this member posts to it, by address.
        case outlet(String)
        /// The notifications that are kept for it, by address.
        case backlog(String)
    }

    /// Removes and returns the waiters whose goal is reached.
    mutating func takeDoneWaiters() -> [MeshWaiter] {
        if waits.isEmpty { return [] }
        var done: [MeshWaiter] = []
        var left: [Wait] = []
        for var wait in waits {
            let goal = wait.waiter.goal
            // Most often that one is still missing: to look at all peers for each answer would take
            // long where there are a thousand.
            if !isMissing(wait.missing, for: goal) {
                guard let next = lastMissing(for: goal) else {
                    done.append(wait.waiter)
                    continue
                }
                wait.missing = next
            }
            left.append(wait)
        }
        waits = left
        return done
    }

    /// Returns a peer for which a goal is not reached yet; nil if it is reached for all. Of several
    /// connections, this is the last one: peers are asked, and so answer, in their order.
    borrowing func lastMissing(for goal: MeshWaiter.Goal) -> MissingPeer? {
        var last: MissingPeer?
        forEachMissing(for: goal) { last = $0 }
        return last
    }

    /// Returns the peers for which a goal is not reached yet.
    borrowing func missing(for goal: MeshWaiter.Goal) -> [DistributedPeer] {
        var peers: [DistributedPeer] = []
        forEachMissing(for: goal) { missing in
            switch missing {
            case .inlet(let token): if let inlet = inlets[token] { peers.append(inlet.knownPeer) }
            case .outlet(let address):
                if let outlet = outlets[address] { peers.append(outlet.knownPeer) }
            case .backlog(let address):
                if let backlog = backlogs[address] { peers.append(backlog.knownPeer(at: address)) }
            }
        }
        return peers
    }

    private borrowing func forEachMissing(
        for goal: MeshWaiter.Goal, _ body: (MissingPeer) -> Void
    ) {
        if case .synced = goal {
            for token in inlets.keys where isMissing(.inlet(token), for: goal) {
                body(.inlet(token))
            }
        }
        for address in outlets.keys where isMissing(.outlet(address), for: goal) {
            body(.outlet(address))
        }
        for address in backlogs.keys where isMissing(.backlog(address), for: goal) {
            body(.backlog(address))
        }
    }

    /// Whether a goal is not reached for a peer.
    private borrowing func isMissing(
        _ missing: MissingPeer, for goal: MeshWaiter.Goal
    ) -> Bool {
        switch (missing, goal) {
        case (.inlet(let token), .synced(let number)):
            guard let inlet = inlets[token] else { return false }
            return inlet.isGreeted && !inlet.isSuperseded && inlet.synced < number
        case (.inlet, _): return false
        case (.outlet(let address), .synced):
            return outlets[address]?.mayPost == true && posters[address] == nil
        case (.outlet(let address), _): return (outlets[address]?.queue.count ?? 0) > 0
        case (.backlog(let address), .synced):
            // A member that lives, as far as is known, and could not be connected to yet.
            return backlogs[address]?.isAwaited == true && outlets[address] == nil
                && posters[address] == nil
        case (.backlog(let address), .flushed):
            return backlogs[address].map { $0.isAwaited && $0.keepsPosts } ?? false
        case (.backlog(let address), .settled):
            return backlogs[address].map {
                $0.isAwaited && ($0.keepsPosts || $0.isAskedForHeard)
            } ?? false
        }
    }

    // MARK: - The members that post here

    /// Notes that a poster's greeting has come on a connection.
    mutating func greet(_ inlet: Inlet, by peer: DistributedPeer) {
        inlet.peer = peer
        inlet.isGreeted = true
        posters[peer.id, default: 0] += 1
    }

    /// Notes that a poster has a newer connection.
    mutating func supersede(_ inlet: Inlet) {
        forgetPoster(of: inlet)
        inlet.isSuperseded = true
    }

    /// Notes that a connection has ended, on which nobody posts any more.
    mutating func forgetPoster(of inlet: Inlet) {
        guard inlet.isGreeted, !inlet.isSuperseded, let id = inlet.peer?.id,
            let count = posters[id]
        else { return }
        posters[id] = count > 1 ? count - 1 : nil
    }
}
