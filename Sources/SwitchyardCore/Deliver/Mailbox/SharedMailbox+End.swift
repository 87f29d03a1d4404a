// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension SharedMailbox {
    /// Ends the mailbox, because its target has ended: waiting mail is reported as undeliverable,
    /// and so are later posts, in their receipts. Registrations stay until their token or object
    /// goes.
    ///
    /// - Returns: The number of deliveries that waited, and will not be made.
    @discardableResult
    package func end() -> Int { close(endsTarget: true) }

    /// Ends the mailbox while its target goes on: objects are still let go there, until ``end()``.
    /// May be called on any thread.
    ///
    /// - Returns: The number of deliveries that waited, and will not be made.
    package func drop() -> Int { close(endsTarget: false) }

    private func close(endsTarget: Bool) -> Int {
        var entries = MailQueue()
        var later = MailQueue()
        var kept: Unmanaged<Observation>?
        var paused: [WeakReference<Observation>] = []
        var released: [ReleasedObject] = []
        outbox.withLock { outbox in
            swap(&entries, &outbox.entries)
            swap(&paused, &outbox.paused)
            kept = outbox.kept.take()
            inbox.withLock { inbox in
                later = inbox.close(withBefore: entries.count)
                if endsTarget { released = inbox.endTarget() }
            }
        }
        let mail = EndedMail(
            of: label, [keptDeliveries(of: paused), entries, later], kept: kept, released: released)
        return mail.tell { [self] in inbox.withLock { $0.endIsReported() } }
    }

    /// Reports deliveries that will not be made, and tells their posts.
    func giveUp(_ queue: MailQueue) { _ = EndedMail(of: label, [queue]).tell {} }
}

// MARK: - Deliveries that were put off

extension SharedMailbox {
    /// Puts a delivery that was put off into the mailbox, by `enqueue`.
    ///
    /// - Returns: The number of deliveries that are lost, because the target has ended meanwhile.
    ///   The caller reports them once it has given back its claim: the hook may wait for the
    ///   observation's end.
    func enqueuePutOff<Parcel: AnyParcel>(
        _ parcel: Parcel, to observation: Observation,
        _ enqueue: (Parcel, inout PostReceipt) -> Void
    ) -> Int {
        if isClosed { return giveUp(MailEntry(.passUnretained(observation), parcel)).lost }
        var receipt = PostReceipt()
        enqueue(parcel, &receipt)
        // A bound has refused or dropped it: its post, which has its receipt, may wait for it.
        if receipt.queued == 0, receipt.undeliverable == 0 { parcel.wasDisplaced() }
        return Int(receipt.undeliverable)
    }

    /// Reports deliveries that were put off and are lost. Their posts have receipts, which call
    /// them queued.
    func report(putOff count: Int, of observation: Observation) {
        if count > 0 { observation.report(.undeliverable(mailbox: label, count: count)) }
    }

    /// The outcome of a delivery that came too late for the mailbox.
    struct TooLate {
        /// Whether the delivery is lost here: it has neither moved on nor been displaced by
        /// another.
        let isLost: Bool
        /// Whether a post that waits for it counts it as undeliverable.
        let isCounted: Bool
        /// The number of other deliveries that are lost, because they waited for room behind it.
        let others: Int

        /// The number of deliveries that are lost.
        var lost: Int { others + (isLost ? 1 : 0) }
    }

    /// Gives up an entry that came too late for the mailbox.
    func giveUp(_ entry: consuming MailEntry) -> TooLate {
        // Without the entry itself; one less if that is not lost.
        let ending = entry.mailboxIsEnding()
        let isLost = !entry.isDiscarded && !entry.movesOn
        let isCounted = entry.mailboxEnded(label)
        entry.discard()
        return TooLate(
            isLost: isLost, isCounted: isCounted, others: isLost ? ending : ending + 1)
    }
}

// MARK: - Deliveries that were given up

extension SharedMailbox {
    /// Counts a delivery that was discarded while it waited. Takes the discarded deliveries out of
    /// the mailbox once they are at least 64, and more than half of all that wait.
    func entryWasDiscarded() {
        let count = discarded.wrappingAdd(1, ordering: .relaxed).newValue
        if count >= 64 { takeOutDiscarded { count, waiting in count >= 64 && count * 2 > waiting } }
    }

    /// Takes the deliveries that were discarded out of the mailbox. O(n), if there may be any.
    ///
    /// - Parameter isTime: given the most that there are, and the number of all that wait, says
    ///   whether to do so.
    func takeOutDiscarded(if isTime: (Int, Int) -> Bool = { _, _ in true }) {
        if discarded.load(ordering: .relaxed) == 0 { return }
        let removed = outbox.withLock { outbox in
            inbox.withLock { inbox -> [MailEntry] in
                let waiting = outbox.entries.count + inbox.entries.count
                guard isTime(discarded.load(ordering: .relaxed), waiting) else { return [] }
                discarded.store(0, ordering: .relaxed)
                return outbox.entries.removeAll(where: \.isDiscarded)
                    + inbox.removeAll(where: \.isDiscarded)
            }
        }
        for entry in removed { entry.discard() }
    }
}
