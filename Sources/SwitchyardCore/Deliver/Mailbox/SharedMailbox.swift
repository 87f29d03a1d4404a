// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The queue of one delivery context: deliveries posted elsewhere wait here, first in, first out,
/// for all centers and observers of that context, until its thread, loop or queue drains it.
///
/// Anyone may deliver through a mailbox and look at it. Only its maker, who has it as a
/// ``DeliveryMailbox``, may drain and close it.
///
/// A mailbox drops nothing, unless a ``DeliveryBound`` says so: it grows until it is drained, and
/// reports when it passes its ``highWaterMark``.
public final class SharedMailbox: Sendable {
    /// The side of a mailbox from which drains take deliveries. Nested drains share it, so that a
    /// run loop inside a handler goes on where the drain around it stopped.
    struct Outbox {
        var entries = MailQueue()
        /// The number of drains and inline deliveries under way, one inside the other.
        var depth = 0
        /// The observation of the last entry taken out that brought a reference
        /// (``MailEntry/bringsReference``). It is retained here for the entries behind that one
        /// which share the reference. A drain's run retains the observation that it delivers to.
        var kept: Unmanaged<Observation>?
        /// The observations that were ever paused, and some that have ended.
        var paused: [WeakReference<Observation>] = []
        /// The watches of how late deliveries are, one for each center that asked.
        var watches: [MailboxWatch] = []
    }

    /// The thread, queue or loop on which it delivers.
    package let target: any ContextTarget
    /// The number of waiting deliveries that is reported to the problem hook (again at each
    /// doubling).
    public let highWaterMark: Int

    /// The target, if it is to know of registrations.
    let keptTarget: (any KeptTarget)?
    /// The bound that observers without one of their own share; nil: none.
    let quota: MailboxQuota?
    let inbox: Guarded<MailInbox>
    /// Lock order: `outbox`, then `inbox`.
    let outbox = Guarded(Outbox())
    /// The number of waiting deliveries that were given up, roughly.
    let discarded = Atomic<Int>(0)

    /// A mailbox that `target` drains.
    ///
    /// - Parameters:
    ///   - target: the thread, queue or loop on which it delivers.
    ///   - highWaterMark: the number of waiting deliveries that is reported.
    ///   - bound: the number of deliveries that may wait, in equal parts for each observer that has
    ///     no bound of its own; nil: any number.
    package init(
        _ target: any ContextTarget, highWaterMark: Int = 100_000, bound: DeliveryBound? = nil
    ) {
        Misuse.unless(highWaterMark > 0, "a high-water mark is a positive number of deliveries")
        self.target = target
        keptTarget = target as? any KeptTarget
        self.highWaterMark = highWaterMark
        quota = bound.map { MailboxQuota($0) }
        inbox = Guarded(MailInbox(highWaterMark: highWaterMark))
    }

    /// The mailbox's name in reports.
    public var label: String { target.label }

    /// The number of waiting deliveries. Those whose observation has ended count until it is their
    /// turn. Releases those that a bound has dropped, on the calling thread; O(n) then.
    public var depth: Int {
        takeOutDiscarded()
        return outbox.withLock { outbox in
            outbox.entries.count + inbox.withLock { $0.entries.count + $0.ending }
        }
    }

    /// Whether the target has ended: posts to it are undeliverable.
    public var isClosed: Bool { inbox.withLock(\.isClosed) }

    /// Whether nothing is delivered any more: the mailbox is closed, or its actor has gone.
    package var hasEnded: Bool { isClosed || target.hasGone }
}

// MARK: - Posting

extension SharedMailbox {
    /// Whether a post made here and now is delivered inline: on the target itself, with nothing
    /// waiting that it would overtake, and not from inside a handler of this mailbox.
    func deliversInline() -> Bool {
        guard target.isCurrent else { return false }
        return outbox.withLock { outbox in
            outbox.depth == 0 && outbox.entries.isEmpty
                && inbox.withLock { $0.entries.isEmpty && !$0.isClosed }
        }
    }

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
            if inbox.isClosed { return (false, false) }
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

// MARK: - Watching

/// Somebody who watches the deliveries of one center in a mailbox: a ``LateWatch``, as the mailbox
/// knows it.
class MailboxWatch: @unchecked Sendable {
    // Sendable: the properties of this class are constant; the subclass answers for itself.

    /// ``ObservationOwner/registryIdentity`` of the center.
    let registry: UInt

    init(_ registry: UInt) { self.registry = registry }
}
