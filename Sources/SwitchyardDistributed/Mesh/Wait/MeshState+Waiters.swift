// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

extension MeshState {
    /// Removes and returns the waiters whose goal is reached.
    mutating func takeDoneWaiters() -> [MeshWaiter] {
        if waiters.isEmpty { return [] }
        let done = waiters.filter { missing(for: $0.goal).isEmpty }
        waiters.removeAll { waiter in done.contains { $0 === waiter } }
        return done
    }

    /// Returns the peers for which a goal is not reached yet.
    func missing(for goal: MeshWaiter.Goal) -> [DistributedPeer] {
        switch goal {
        case .flushed:
            return outlets.values.filter { $0.queue.count > 0 }.map(\.knownPeer)
                + backlogs.filter { $0.value.isAwaited && $0.value.frames.count > 0 }
                .map { $0.value.knownPeer(at: $0.key) }
        case .settled:
            return missing(for: .flushed)
                + backlogs.filter { $0.value.isAwaited && $0.value.isAskedForHeard }
                .map { $0.value.knownPeer(at: $0.key) }
        case .synced(let number):
            let greeted = inlets.values.filter { $0.isGreeted && !$0.isSuperseded }
            // Sets, because this runs at each answer, and there may be a thousand peers.
            let known = Set(greeted.compactMap(\.peer?.id))
            let connected = Set(outlets.keys)
            return greeted.filter { $0.synced < number }.map(\.knownPeer)
                + outlets.values.filter { $0.mayPost && !known.contains($0.address) }
                .map(\.knownPeer)
                // Members that live, as far as is known, and could not be connected to yet.
                + backlogs.filter { address, backlog in
                    backlog.isAwaited && !connected.contains(address) && !known.contains(address)
                }
                .map { $0.value.knownPeer(at: $0.key) }
        }
    }
}
