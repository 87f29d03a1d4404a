// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// Full queues: the policy that makes room in one, and the count of what it costs the peer.
extension Mesh {
    /// Applies the overflow policy to a peer's full queue.
    ///
    /// - Parameter newlyFull: gets the peer, if this is its first loss since its queue had room.
    /// - Returns: Whether there is room now.
    func makeRoom(
        for frame: borrowing ByteWriter, in outlet: Outlet, _ newlyFull: inout [DistributedPeer]
    ) -> Bool {
        let size = frame.count
        if outlet.queue.count + size <= limits.queueBytes + limits.queueBytes / 4,
            frame.withBytes({ OutQueue.isForCenters($0, at: 0) })
        {
            return true
        }
        guard limits.overflow != .dropNewest else {
            countLoss(1, of: outlet, &newlyFull)
            return false
        }
        if outlet.queue.count + size <= limits.queueBytes { return true }
        // The search looks at all that waits.
        if outlet.queue.waitingCount >= outlet.counts.undroppable {
            countLoss(1, of: outlet, &newlyFull)
            return false
        }
        var dropped: UInt64 = 0
        if limits.overflow == .keepLatest { dropped = outlet.queue.keepLatest() }
        // Free a good part at once: searching for room again and again would take long.
        let excess = outlet.queue.count + max(size, limits.queueBytes / 16) - limits.queueBytes
        if excess > 0 { dropped += outlet.queue.dropOldest(excess) }
        // They were counted when they were queued.
        outlet.counts.sent &-= dropped
        // The frames of centers stay, and a notification is not kept beside too many of them.
        let hasRoom =
            outlet.queue.waitingNotifications == 0
            || outlet.queue.waitingCount + size <= limits.queueBytes
        outlet.counts.undroppable = hasRoom ? .max : outlet.queue.waitingCount
        // None, if all that waits is being written already.
        if dropped > 0 || !hasRoom {
            countLoss(dropped + (hasRoom ? 0 : 1), of: outlet, &newlyFull)
        }
        return hasRoom
    }

    private func countLoss(_ count: UInt64, of outlet: Outlet, _ newlyFull: inout [DistributedPeer])
    {
        if !outlet.counts.isOverflowing, let peer = outlet.peer { newlyFull.append(peer) }
        outlet.counts.isOverflowing = true
        outlet.counts.lost += count
        outlet.counts.lostSinceTold += count
    }

    func reportFull(_ peer: DistributedPeer) {
        intake?.report(
            problem: "\(peer) does not read: \(limits.queueBytes) bytes wait for it, and "
                + Self.consequence(of: limits.overflow)
                + " until it does")
    }

    private static func consequence(of overflow: DistributedLimits.Overflow) -> String {
        switch overflow {
        case .dropNewest: "what is posted is not kept for it"
        case .dropOldest: "the oldest of them are given up"
        case .keepLatest: "of one name and object, only the last is kept for it"
        }
    }
}
