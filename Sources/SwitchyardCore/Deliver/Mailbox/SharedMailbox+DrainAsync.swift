// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Drains for async handlers, and the end of deliveries whose context has died.
extension SharedMailbox {
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
                // Deliveries that a pause keeps end with the context.
                entry.observation._withUnsafeGuaranteedRef { observation in
                    if observation.has(Observation.State.wasPaused), !observation.isCancelled {
                        giveUpPaused(of: observation)
                    }
                }
                entry.expire()
                left -= 1
            }
            run.end()
        }
        endDrain(nests: begun.nests)
    }
}
