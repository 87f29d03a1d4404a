// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Deliveries that are made inline, as deliveries of this mailbox.
extension SharedMailbox {
    /// Calls `deliver`, which makes a delivery inline. Posts of its handler to this mailbox are
    /// queued meanwhile, as in a drain.
    func inside(for observation: Observation, _ deliver: () -> Void) {
        let isWatched = outbox.withLock { outbox in
            outbox.depth += 1
            return !outbox.watches.isEmpty
        }
        DrainFrame.inside(self) {
            if isWatched { watching(observation, deliver) } else { deliver() }
        }
        outbox.withLock { $0.depth -= 1 }
    }

    /// Makes the deliveries that a pause has kept. Posts of their handlers to this mailbox are
    /// queued meanwhile. The deliveries are watched one by one.
    func take(_ turn: PauseTurn) {
        outbox.withLock { $0.depth += 1 }
        DrainFrame.inside(self) { turn.take() }
        outbox.withLock { $0.depth -= 1 }
    }

    /// Whether a post by the caller that waited for this mailbox would never end: the caller is on
    /// its target, or in one of its handlers.
    var isHeldByCaller: Bool {
        if let target = target as? any WaitableTarget, target.isHeldByCaller { return true }
        return target.isCurrent || DrainFrame.isInside(self)
    }
}
