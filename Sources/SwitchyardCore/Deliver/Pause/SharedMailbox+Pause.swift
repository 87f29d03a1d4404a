// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The deliveries that observations with a pause keep have left the mailbox, and end with it all the
// same.
extension SharedMailbox {
    /// Told that `observation`, which hears here, is paused for the first time.
    func willPause(_ observation: Observation) {
        // Without the lock: the last reference to an observation may run the user's code.
        var seen: [Observation] = []
        outbox.withLock { outbox in
            let count = outbox.paused.count
            // From time to time, so that the list does not grow with those that have ended.
            if count >= 16, count & (count - 1) == 0 {
                seen = outbox.paused.compactMap(\.object)
                outbox.paused = seen.filter { !$0.isCancelled }.map { WeakReference($0) }
            }
            outbox.paused.append(WeakReference(observation))
        }
        seen.removeAll()
        // Another thread may have begun a pause meanwhile, and kept a delivery.
        if isClosed { giveUpPaused(of: observation) }
    }

    /// The deliveries that wait for the ends of pauses, in order for each observation.
    func keptDeliveries(of paused: [WeakReference<Observation>]) -> MailQueue {
        var deliveries = MailQueue()
        for paused in paused {
            guard let observation = paused.object else { continue }
            for parcel in observation.takeKept() {
                deliveries.append(MailEntry(.passUnretained(observation), parcel))
            }
        }
        return deliveries
    }

    /// Gives up the deliveries that `observation` keeps, because the mailbox has ended.
    func giveUpPaused(of observation: Observation) {
        giveUp(keptDeliveries(of: [WeakReference(observation)]))
    }
}
