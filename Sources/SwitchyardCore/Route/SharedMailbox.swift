// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The queue of one delivery context: deliveries posted elsewhere wait here, first in, first out, for
/// all centers and observers of that context, until its thread, loop or queue drains it.
///
/// Anyone may deliver through a mailbox and look at it. To drain and to close it is the right of who
/// made it, who has it as a ``DeliveryMailbox``.
///
/// A mailbox drops nothing, unless a ``DeliveryBound`` says so: it grows until it is drained, and
/// reports when it passes its ``highWaterMark``.
public final class SharedMailbox: Sendable {
    /// Where posts put deliveries.
    struct Inbox {
        var entries = MailQueue()
        /// The address of the observation that the newest inline entry retained. For comparison only.
        var newest: UInt = 0
        /// Objects that are to be let go on the target.
        var released: [Released] = []
        /// Whether a wake-up is on its way, or, without nested loops, its drain under way.
        var isSignalled = false
        var isClosed = false
        /// How many deliveries waited when the target ended, until they have been reported.
        var ending = 0
        /// Whether it was told that something came after the end.
        var hasToldOfLateMail = false
        var nextReport: Int
    }

    /// The last reference to an object, which is to be let go on the target. Unmanaged: an owner that
    /// still held one of its own for a moment could be the last after all.
    struct Released: @unchecked Sendable {
        // Sendable: handed over, and touched by the target alone from then on.
        let object: Unmanaged<AnyObject>
    }

    /// Where drains take them. Nested drains share it, so that a run loop inside a handler goes on
    /// where the drain around it stopped.
    struct Outbox {
        var entries = MailQueue()
        /// How many drains and inline deliveries are under way, one inside the other.
        var depth = 0
        /// The observation that the newest entry retained: payloads that wait behind it may be for it. A
        /// drain keeps those it delivers to itself.
        var kept: Unmanaged<Observation>?
    }

    /// The thread, queue or loop on which it delivers.
    package let target: any ContextTarget
    /// How many waiting deliveries make a report to the problem hook (again at each doubling).
    public let highWaterMark: Int

    /// The target, if it is to know of registrations.
    let keptTarget: (any KeptTarget)?
    /// The bound that observers without one of their own share; nil: none.
    let quota: MailboxQuota?
    private let inbox: Guarded<Inbox>
    /// Lock order: `outbox`, then `inbox`.
    private let outbox = Guarded(Outbox())
    /// How many of those that wait were given up, about.
    private let hollow = Atomic<Int>(0)

    /// A mailbox that `target` drains.
    ///
    /// - Parameters:
    ///   - target: the thread, queue or loop on which it delivers.
    ///   - highWaterMark: how many waiting deliveries are reported.
    ///   - bound: how many deliveries may wait, in equal parts for each observer that has no bound of
    ///     its own; nil: any number.
    package init(
        _ target: any ContextTarget, highWaterMark: Int = 100_000, bound: DeliveryBound? = nil
    ) {
        precondition(highWaterMark > 0, "a high-water mark is a positive number of deliveries")
        self.target = target
        keptTarget = target as? any KeptTarget
        self.highWaterMark = highWaterMark
        quota = bound.map { MailboxQuota($0) }
        inbox = Guarded(Inbox(nextReport: highWaterMark))
    }

    /// The mailbox's name in reports.
    public var label: String { target.label }

    /// How many deliveries wait.
    public var depth: Int {
        outbox.withLock { outbox in
            outbox.entries.count + inbox.withLock { $0.entries.count + $0.ending }
        }
    }

    /// Whether the target has ended: what is posted to it is undeliverable.
    public var isClosed: Bool { inbox.withLock(\.isClosed) }
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

    /// Makes a delivery inline: what its handler posts to this mailbox waits its turn, as it does in
    /// a drain.
    func inTurn(_ deliver: () -> Void) {
        outbox.withLock { $0.depth += 1 }
        DrainFrame.inside(self, deliver)
        outbox.withLock { $0.depth -= 1 }
    }

    /// Puts a delivery behind those that wait, if the target has not ended.
    func enqueue(
        _ parcel: AnyParcel, to observation: Observation, _ receipt: inout PostReceipt
    ) {
        let entry = MailEntry(.passUnretained(observation), parcel)
        let isQueued = enqueue(for: observation) { _ in entry }
        if !isQueued {
            _ = entry.mailboxIsEnding()
            entry.mailboxEnded(label)
            entry.discard()
        }
        count(isQueued, for: observation, &receipt)
    }

    /// As ``enqueue(_:to:_:)``, for a payload without a parcel.
    func enqueue(
        _ payload: InlinePayload, to observation: Observation, _ receipt: inout PostReceipt
    ) {
        count(enqueue(payload, to: observation), for: observation, &receipt)
    }

    private func count(
        _ isQueued: Bool, for observation: Observation, _ receipt: inout PostReceipt
    ) {
        if isQueued {
            receipt.queued &+= 1
        } else {
            receipt.undeliverable &+= 1
            reportLateMail(to: observation)
        }
    }

    /// Puts a delivery without a parcel behind those that wait; whether the target has not ended.
    func enqueue(_ payload: InlinePayload, to observation: Observation) -> Bool {
        enqueue(for: observation) { inbox in
            let isFirst = inbox.newest != observation.address
            inbox.newest = observation.address
            return MailEntry(.passUnretained(observation), payload, bringsReference: isFirst)
        }
    }

    @inline(__always)
    private func enqueue(
        for observation: Observation, _ makeEntry: (inout Inbox) -> MailEntry
    ) -> Bool {
        let inbox = self.inbox.acquire()
        if inbox.pointee.isClosed {
            self.inbox.release()
            return false
        }
        inbox.pointee.entries.append(makeEntry(&inbox.pointee))
        let wakes = !inbox.pointee.isSignalled
        inbox.pointee.isSignalled = true
        var waiting = inbox.pointee.entries.count
        if waiting < inbox.pointee.nextReport {
            waiting = 0
        } else {
            inbox.pointee.nextReport *= 2
        }
        self.inbox.release()
        if wakes { target.wake(self) }
        if waiting > 0 { observation.report(.highWater(mailbox: label, waiting: waiting)) }
        return true
    }

    /// Has `object`, of which the caller gives up the last reference, let go on the target, at its
    /// next turn; here, if the target has ended.
    package func releaseOnTarget(_ object: Unmanaged<AnyObject>) {
        let released = Released(object: object)
        let (isTaken, wakes) = inbox.withLock { inbox in
            if inbox.isClosed { return (false, false) }
            inbox.released.append(released)
            defer { inbox.isSignalled = true }
            return (true, !inbox.isSignalled)
        }
        if !isTaken { object.release() }
        if wakes { target.wake(self) }
    }

    /// Tells the first center that posts after the end, once: further posts say it in their receipts.
    private func reportLateMail(to observation: Observation) {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.hasToldOfLateMail = true }
            return !inbox.hasToldOfLateMail
        }
        if isFirst { observation.report(.late(mailbox: label)) }
    }
}

// MARK: - Draining

extension SharedMailbox {
    /// Whether a post made here can't wait for this mailbox: on its target, or in a handler of its.
    var isCallers: Bool {
        if let target = target as? any PlacedTarget, target.isCallers { return true }
        return target.isCurrent || DrainFrame.isInside(self)
    }

    /// Delivers what waits, on the calling thread: the target calls this after a wake-up.
    ///
    /// Takes at most what waited when it began. If there is more by then, the target is woken again,
    /// so that a loop that drains also gets to its timers and sources.
    package func drainAll() { deliver(atMost: .max) }

    /// As ``drainAll()``, but takes at most so many; how many it took.
    @discardableResult
    package func deliver(atMost limit: Int) -> Int {
        let most = min(beginDrain(), limit)
        var taken = 0
        DrainFrame.inside(self) {
            var run = DrainRun()
            while taken < most, let entry = next(&run) {
                entry.deliver(in: &run)
                taken += 1
            }
            run.end()
        }
        endDrain()
        return taken
    }

    /// Delivers what waits, in the calling task, for handlers that are async; otherwise as
    /// ``drainAll()``.
    ///
    /// - Parameter concurrently: whether each delivery has a task of its own, by `start`.
    func drainAsync(concurrently start: ((MailEntry) -> Void)? = nil) async {
        var left = beginDrain()
        var run = DrainRun()
        while left > 0, let entry = next(&run) {
            if let start { start(entry) } else { await entry.deliverAsync() }
            left -= 1
        }
        run.end()
        endDrain()
    }

    /// For a handler that waits for this mailbox: whether there is something to deliver already.
    /// Otherwise the next post wakes the target, although a drain is under way.
    func expectsWakeUp() -> Bool {
        outbox.withLock { outbox in
            inbox.withLock { inbox in
                if !outbox.entries.isEmpty || !inbox.entries.isEmpty { return true }
                inbox.isSignalled = false
                return false
            }
        }
    }

    /// How much there is to deliver now.
    private func beginDrain() -> Int {
        let nests = target.runsNestedLoops
        var released: [Released] = []
        let left = outbox.withLock { outbox in
            outbox.depth += 1
            let before = outbox.entries.count
            return inbox.withLock { inbox in
                swap(&released, &inbox.released)
                let waiting = before + inbox.entries.count
                // A handler may run the target's loop: what waits behind the first delivery, and
                // what is posted from now on, has to wake it during this drain.
                if nests { inbox.isSignalled = waiting > 1 }
                return waiting
            }
        }
        if nests, left > 1 { target.wake(self) }
        // Without a lock, and before the first delivery: this may be the user's code.
        for released in released { released.object.release() }
        return left
    }

    private func endDrain() {
        let nests = target.runsNestedLoops
        var done: Unmanaged<Observation>?
        let wakes = outbox.withLock { outbox in
            outbox.depth -= 1
            let rest = !outbox.entries.isEmpty
            if !rest { swap(&done, &outbox.kept) }
            return inbox.withLock { inbox in
                let isDone = !rest && inbox.entries.isEmpty && inbox.released.isEmpty
                let wakes = !isDone && !inbox.isClosed && !(nests && inbox.isSignalled)
                inbox.isSignalled = wakes || nests && inbox.isSignalled
                return wakes
            }
        }
        done?.release()
        if wakes { target.wake(self) }
    }

    /// Takes the next entry. `run` is of its observation from then on, if it is a payload's.
    private func next(_ run: inout DrainRun) -> MailEntry? {
        var ended = DrainRun()
        var done: Unmanaged<Observation>?
        let outbox = self.outbox.acquire()
        if outbox.pointee.entries.isEmpty { refill(&outbox.pointee) }
        let entry = outbox.pointee.entries.popFirst()
        if let entry, !run.isOf(entry.observation) {
            swap(&ended, &run)
            if entry.isPayload { run = DrainRun(of: entry.observation) }
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
        inbox.withLock { inbox in
            swap(&inbox.entries, &outbox.entries)
            inbox.newest = 0
            inbox.nextReport = highWaterMark
        }
    }

    /// Ends the mailbox, because its target has ended: what waits is reported as undeliverable, and
    /// so are later posts, in their receipts. Registrations stay until their token or object goes.
    package func end() {
        var entries = MailQueue()
        var later = MailQueue()
        var kept: [Unmanaged<Observation>] = []
        var released: [Released] = []
        outbox.withLock { outbox in
            swap(&entries, &outbox.entries)
            if let last = outbox.kept.take() { kept.append(last) }
            inbox.withLock { inbox in
                inbox.isClosed = true
                inbox.ending = entries.count + inbox.entries.count
                swap(&later, &inbox.entries)
                swap(&released, &inbox.released)
            }
        }
        for released in released { released.object.release() }
        reportUndeliverable([entries, later])
        inbox.withLock { $0.ending = 0 }
        while let entry = entries.popFirst() ?? later.popFirst() {
            if entry.bringsReference { kept.append(entry.observation) }
            if !entry.isHollow { entry.mailboxEnded(label) }
            entry.discard()
        }
        for observation in kept { observation.release() }
    }

    /// Reports what waited when the target ended; before those who wait for it are told, because they
    /// may let the center go, and its hook with it.
    private func reportUndeliverable(_ queues: [MailQueue]) {
        var lost = UndeliverableCount()
        for queue in queues {
            queue.visit { entry in
                guard !entry.isHollow else { return }
                let count = 1 + entry.mailboxIsEnding()
                entry.observation._withUnsafeGuaranteedRef { observation in
                    if !observation.isCancelled { lost.add(observation, count) }
                }
            }
        }
        lost.report(mailbox: label)
    }

    /// Ends the observations for which something waits, because what they hear on has died.
    func expireWaiting() {
        var left = beginDrain()
        var run = DrainRun()
        while left > 0, let entry = next(&run) {
            entry.expire()
            left -= 1
        }
        run.end()
        endDrain()
    }

    /// Told that a delivery that waits here was given up. Once most of them were, they are taken out.
    func becameHollow() {
        let count = hollow.wrappingAdd(1, ordering: .relaxed).newValue
        guard count >= 64 else { return }
        let removed = outbox.withLock { outbox in
            inbox.withLock { inbox -> [MailEntry] in
                let waiting = outbox.entries.count + inbox.entries.count
                let count = hollow.load(ordering: .relaxed)
                guard count >= 64, count * 2 > waiting else { return [] }
                hollow.store(0, ordering: .relaxed)
                return outbox.entries.removeAll(where: \.isHollow)
                    + inbox.entries.removeAll(where: \.isHollow)
            }
        }
        for entry in removed { entry.discard() }
    }
}

/// How many deliveries of which centers a mailbox had when its target ended.
private struct UndeliverableCount {
    private var counts: [ObjectIdentifier: (center: Registry, count: Int)] = [:]

    mutating func add(_ observation: Observation, _ count: Int) {
        let center = observation.bucket.registry
        counts[ObjectIdentifier(center), default: (center, 0)].count += count
    }

    func report(mailbox: String) {
        for (center, count) in counts.values {
            center.hooks.report(.undeliverable(mailbox: mailbox, count: count))
        }
    }
}
