// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

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

    /// Delivers the waiting mail, on the calling thread: the target calls this after a wake-up.
    ///
    /// Takes at most what waited when it began. If there is more by then, the target is woken
    /// again, so that a loop that drains also gets to its timers and sources.
    package func drainAll() { deliver(atMost: .max) }

    /// Delivers at most `limit` waiting deliveries.
    ///
    /// - Returns: The number taken.
    @discardableResult
    package func deliver(atMost limit: Int) -> Int {
        if limit < .max { takeOutDiscarded() }
        let begun = beginDrain()
        let most = min(begun.count, limit)
        var taken = 0
        DrainFrame.inside(self, isDrain: true) {
            if begun.asksForMore { prepare(begun) }
            var run = DrainRun()
            while taken < most, let entry = next(&run) {
                run.deliver(entry)
                taken += 1
            }
            run.end()
        }
        endDrain(nests: begun.nests)
        return taken
    }

    /// Delivers the waiting mail, in the calling task, for handlers that are async; otherwise as
    /// ``drainAll()``.
    ///
    /// - Parameter concurrently: whether each delivery has a task of its own, by `start`.
    func drainAsync(concurrently start: ((MailEntry) -> Void)? = nil) async {
        let begun = beginDrain()
        if begun.asksForMore { prepare(begun) }
        var left = begun.count
        var run = DrainRun()
        while left > 0, let entry = next(&run) {
            if let start {
                start(entry.owningObservation())
            } else {
                await entry.deliverAsync()
            }
            left -= 1
        }
        run.end()
        endDrain(nests: begun.nests)
    }

    /// Prepares a handler of this mailbox to wait for the mailbox's next delivery.
    ///
    /// - Returns: Whether a delivery waits already. If not, the next post wakes the target,
    ///   although a drain is under way.
    func prepareForWait() -> Bool {
        outbox.withLock { outbox in
            inbox.withLock { inbox in
                if !outbox.entries.isEmpty || !inbox.entries.isEmpty { return true }
                inbox.isSignalled = false
                return false
            }
        }
    }

    /// Ends the observations for which something waits, because their context has died.
    func expireWaiting() {
        let begun = beginDrain()
        DrainFrame.inside(self, isDrain: true) {
            if begun.asksForMore { prepare(begun) }
            var left = begun.count
            var run = DrainRun()
            while left > 0, let entry = next(&run) {
                entry.expire()
                left -= 1
            }
            run.end()
        }
        endDrain(nests: begun.nests)
    }

    /// A drain that has begun.
    private struct BegunDrain {
        /// The number of deliveries to make.
        let count: Int
        /// The objects to let go first.
        let released: [ReleasedObject]
        /// Whether handlers may run the target's loop.
        let nests: Bool

        /// Whether something is to be done before the first delivery.
        @inline(__always)
        var asksForMore: Bool { nests && count > 1 || !released.isEmpty }
    }

    @inline(__always)
    private func beginDrain() -> BegunDrain {
        let nests = target.runsNestedLoops
        let (count, released) = outbox.withLock { outbox in
            outbox.depth += 1
            let before = outbox.entries.count
            return inbox.withLock { $0.beginDrain(behind: before, nests: nests) }
        }
        return BegunDrain(count: count, released: released, nests: nests)
    }

    /// Does what comes before the first delivery of a drain. It may be the user's code, so no lock
    /// is held, and a drain on a thread has its frame by now.
    @inline(never)
    private func prepare(_ drain: BegunDrain) {
        if drain.nests, drain.count > 1 { target.wake(self) }
        if !drain.released.isEmpty {
            ResumableLoop(over: drain.released) { $0.object.release() }.run()
        }
    }

    /// - Parameter nests: whether handlers may run the target's loop.
    private func endDrain(nests: Bool) {
        var done: Unmanaged<Observation>?
        let wakes = outbox.withLock { outbox in
            outbox.depth -= 1
            let isEmpty = outbox.entries.isEmpty
            if isEmpty { swap(&done, &outbox.kept) }
            return inbox.withLock { $0.endDrain(isEmpty: isEmpty, nests: nests) }
        }
        if wakes { target.wake(self) }
        // The last reference may run the user's code, which may end the thread.
        done?.release()
    }

    /// Ends a drain, or an inline delivery, whose handler has ended its thread: posts wake the
    /// target again, and may be inline.
    func threadEnded(inDrain isDrain: Bool) {
        if isDrain {
            endDrain(nests: target.runsNestedLoops)
        } else {
            outbox.withLock { $0.depth -= 1 }
        }
    }

    /// Takes the next entry. If it owns no reference to its observation, `run` becomes the run of
    /// that.
    private func next(_ run: inout DrainRun) -> MailEntry? {
        var ended = DrainRun()
        var done: Unmanaged<Observation>?
        let outbox = self.outbox.acquire()
        if outbox.pointee.entries.isEmpty { refill(&outbox.pointee) }
        let entry = outbox.pointee.entries.popFirst()
        if let entry, !run.isOf(entry.observation) {
            swap(&ended, &run)
            if !entry.ownsObservation { run = DrainRun(of: entry.observation) }
        }
        if let entry, entry.bringsReference {
            done = outbox.pointee.kept
            outbox.pointee.kept = entry.observation
        }
        self.outbox.release()
        ended.end()
        done?.release()
        return entry
    }

    /// Guard: `outbox`.
    private func refill(_ outbox: inout Outbox) {
        inbox.withLock { $0.exchange(&outbox.entries) }
    }
}
