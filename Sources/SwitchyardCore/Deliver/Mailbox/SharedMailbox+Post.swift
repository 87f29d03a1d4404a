// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Posts to a mailbox: deliveries are put behind the waiting ones.
extension SharedMailbox {
    /// Puts a delivery behind the waiting ones, if the observation's bound lets it, and the target
    /// has not ended.
    func enqueue(
        _ parcel: AnyParcel, to observation: Observation, for wait: PostWait?,
        _ receipt: inout PostReceipt
    ) {
        if let flow = observation.flow {
            flow.queue(parcel, to: observation, in: self, for: wait, &receipt)
        } else {
            enqueue(parcel, to: observation, &receipt)
        }
    }

    /// Puts a delivery behind the waiting ones, if the target has not ended. Asks for no bound.
    func enqueue(
        _ parcel: AnyParcel, to observation: Observation, _ receipt: inout PostReceipt
    ) {
        if observation.keepsAtOnce(parcel) {
            receipt.queued &+= 1
            return
        }
        if observation.staysInMailbox, enqueueInTurn(parcel, to: observation) {
            receipt.queued &+= 1
            return
        }
        let entry = MailEntry(.passUnretained(observation), parcel)
        if enqueue(for: observation, { $0.add(entry) }) || enqueueWatched(entry, observation) {
            receipt.queued &+= 1
            return
        }
        let end = giveUp(entry)
        report(putOff: end.others, of: observation)
        guard end.isLost else {
            // The delivery goes to another observer, or the post that displaced it has counted it.
            receipt.queued &+= 1
            return
        }
        if !end.isCounted { receipt.undeliverable &+= 1 }
        reportPostAfterEnd(to: observation)
    }

    /// Puts a delivery that no other will displace behind the waiting ones.
    ///
    /// - Returns: False if the target has ended, or the mailbox is watched.
    @inline(__always)
    func enqueueInTurn(_ parcel: AnyParcel, to observation: Observation) -> Bool {
        enqueue(for: observation) { inbox in
            inbox.add(of: observation.address) { isFirst in
                MailEntry(.passUnretained(observation), parcel, bringsReference: isFirst)
            }
        }
    }

    /// Puts a delivery without a parcel behind the waiting ones, and counts it in the receipt: as
    /// queued, or as undeliverable if the target has ended.
    func enqueue(
        _ payload: InlinePayload, to observation: Observation, _ receipt: inout PostReceipt
    ) {
        if enqueue(payload, to: observation) {
            receipt.queued &+= 1
        } else {
            receipt.undeliverable &+= 1
            reportPostAfterEnd(to: observation)
        }
    }

    /// Puts a delivery without a parcel behind the waiting ones.
    ///
    /// - Returns: False if the target has ended.
    func enqueue(_ payload: InlinePayload, to observation: Observation) -> Bool {
        let isQueued = enqueue(for: observation) { inbox in
            inbox.add(of: observation.address) { isFirst in
                MailEntry(.passUnretained(observation), payload, bringsReference: isFirst)
            }
        }
        return isQueued || enqueueWatched(payload, observation)
    }

    /// Puts a delivery without a parcel behind the waiting ones, with the number of its post, which
    /// is traced.
    ///
    /// - Returns: False if the target has ended.
    func enqueueTraced(_ payload: InlinePayload, to observation: Observation) -> Bool {
        let isQueued = enqueue(for: observation) { inbox in
            inbox.add(of: observation.address) { isFirst in
                MailEntry(
                    .passUnretained(observation), payload, bringsReference: isFirst,
                    isTraced: true)
            }
        }
        return isQueued || enqueueWatched(payload, observation, isTraced: true)
    }

    @inline(__always)
    func enqueue(
        for observation: Observation,
        _ add: (inout MailInbox) -> MailInbox.Added?
    ) -> Bool {
        let inbox = self.inbox.acquire()
        let added = add(&inbox.pointee)
        self.inbox.release()
        guard let added else { return false }
        if added.wakes { target.wake(self) }
        if added.toReport > 0 {
            reportHighWater(added.toReport, of: observation)
        }
        return true
    }

    /// Has `object`, of which the caller gives up the last reference, let go on the target, at its
    /// next turn; here, if the target has ended.
    package func releaseOnTarget(_ object: Unmanaged<AnyObject>) {
        let released = ReleasedObject(object: object)
        let (isTaken, wakes) = inbox.withLock { inbox in
            if inbox.targetHasEnded { return (false, false) }
            return (true, inbox.append(released))
        }
        if !isTaken { object.release() }
        if wakes { target.wake(self) }
    }

    @inline(never)
    private func reportHighWater(_ waiting: Int, of observation: Observation) {
        observation.report(
            .highWater(mailbox: label, waiting: waiting, observation.problemSource))
    }

    /// Reports the first delivery that is posted after the target has ended, to the center of that
    /// post. Later ones show in the receipts of their posts alone.
    private func reportPostAfterEnd(to observation: Observation) {
        let isFirst = inbox.withLock { $0.isFirstAfterEnd() }
        if isFirst {
            observation.report(.afterEnd(mailbox: label, observation.problemSource))
        }
    }
}
