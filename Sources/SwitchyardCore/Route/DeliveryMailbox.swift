// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The queue of one delivery context: what was posted elsewhere waits here, first in, first out,
/// for all centers and observers of that context, until its thread, loop or queue drains it.
///
/// Nothing is dropped, unless a ``DeliveryBound`` says so: a mailbox grows until it is drained, and
/// reports when it passes its ``highWaterMark``.
public final class DeliveryMailbox: Sendable {
    /// Where posts put deliveries.
    struct Inbox {
        var entries = MailQueue()
        /// Whether a wake-up is on its way, or, without nested loops, its drain under way.
        var isSignalled = false
        var isClosed = false
        /// Whether it was told that something came after the end.
        var hasToldOfLateMail = false
        var nextReport: Int
    }

    /// Where drains take them. Nested drains share it, so that a run loop inside a handler goes on
    /// where the drain around it stopped.
    struct Outbox {
        var entries = MailQueue()
        /// How many drains and inline deliveries are under way, one inside the other.
        var depth = 0
    }

    /// The thread, queue or loop on which it delivers.
    public let target: any MailboxTarget
    /// How many waiting deliveries make a report to the problem hook (again at each doubling).
    public let highWaterMark: Int

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
    public init(
        target: any MailboxTarget, highWaterMark: Int = 100_000, bound: DeliveryBound? = nil
    ) {
        precondition(highWaterMark > 0, "a high-water mark is a positive number of deliveries")
        self.target = target
        self.highWaterMark = highWaterMark
        quota = bound.map { MailboxQuota($0) }
        inbox = Guarded(Inbox(nextReport: highWaterMark))
    }

    /// What reports call this mailbox.
    public var label: String { target.label }

    /// How many deliveries wait.
    public var depth: Int {
        outbox.withLock { outbox in outbox.entries.count + inbox.withLock { $0.entries.count } }
    }

    /// Whether the target has ended: what is posted to it is undeliverable.
    public var isClosed: Bool { inbox.withLock(\.isClosed) }
}

// MARK: - Posting

extension DeliveryMailbox {
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
        _ entry: MailEntry, from center: NotificationEngine, _ receipt: inout PostReceipt
    ) {
        let (accepted, wakes, waiting) = inbox.withLock { inbox -> (Bool, Bool, Int) in
            if inbox.isClosed { return (false, false, 0) }
            inbox.entries.append(entry)
            let wakes = !inbox.isSignalled
            inbox.isSignalled = true
            guard inbox.entries.count >= inbox.nextReport else { return (true, wakes, 0) }
            inbox.nextReport *= 2
            return (true, wakes, inbox.entries.count)
        }
        guard accepted else { return refuse(entry, from: center, &receipt) }
        receipt.queued &+= 1
        if wakes { target.wake(self) }
        if waiting > 0 { center.report(.highWater(mailbox: label, waiting: waiting)) }
    }

    private func refuse(
        _ entry: MailEntry, from center: NotificationEngine, _ receipt: inout PostReceipt
    ) {
        receipt.undeliverable &+= 1
        entry.mailboxEnded(label)
        entry.discard()
        reportLateMail(from: center)
    }
}

extension DeliveryMailbox {
    /// Tells the first center that posts after the end, once: further posts say it in their receipts.
    private func reportLateMail(from center: NotificationEngine) {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.hasToldOfLateMail = true }
            return !inbox.hasToldOfLateMail
        }
        if isFirst { center.report(.late(mailbox: label)) }
    }
}

// MARK: - Draining

extension DeliveryMailbox {
    /// Whether a post made here can't wait for this mailbox: on its target, or in a handler of its.
    var isCallers: Bool {
        if let target = target as? any PlacedTarget, target.isCallers { return true }
        return target.isCurrent || DrainFrame.isInside(self)
    }

    /// Delivers what waits, on the calling thread: the target calls this after a wake-up.
    ///
    /// Takes at most what waited when it began. If there is more by then, the target is woken again,
    /// so that a loop that drains also gets to its timers and sources.
    public func drain() { drain(atMost: .max) }

    /// As ``drain()``, but takes at most so many; how many it took.
    @discardableResult
    package func drain(atMost limit: Int) -> Int {
        let most = min(beginDrain(), limit)
        var taken = 0
        DrainFrame.inside(self) {
            while taken < most, let entry = next() {
                entry.deliver()
                taken += 1
            }
        }
        endDrain()
        return taken
    }

    /// Delivers what waits, in the calling task, for handlers that are async; otherwise as
    /// ``drain()``.
    ///
    /// - Parameter concurrently: whether each delivery has a task of its own, by `start`.
    func drainAsync(concurrently start: ((MailEntry) -> Void)? = nil) async {
        var left = beginDrain()
        while left > 0, let entry = next() {
            if let start { start(entry) } else { await entry.deliverAsync() }
            left -= 1
        }
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
        let left = outbox.withLock { outbox in
            outbox.depth += 1
            let before = outbox.entries.count
            return inbox.withLock { inbox in
                let waiting = before + inbox.entries.count
                // A handler may run the target's loop: what waits behind the first delivery, and
                // what is posted from now on, has to wake it during this drain.
                if nests { inbox.isSignalled = waiting > 1 }
                return waiting
            }
        }
        if nests, left > 1 { target.wake(self) }
        return left
    }

    private func endDrain() {
        let nests = target.runsNestedLoops
        let wakes = outbox.withLock { outbox in
            outbox.depth -= 1
            let rest = !outbox.entries.isEmpty
            return inbox.withLock { inbox in
                let isDone = !rest && inbox.entries.isEmpty
                let wakes = !isDone && !inbox.isClosed && !(nests && inbox.isSignalled)
                inbox.isSignalled = wakes || nests && inbox.isSignalled
                return wakes
            }
        }
        if wakes { target.wake(self) }
    }

    private func next() -> MailEntry? {
        outbox.withLock { outbox in
            if let entry = outbox.entries.popFirst() { return entry }
            inbox.withLock { inbox in
                swap(&inbox.entries, &outbox.entries)
                inbox.nextReport = highWaterMark
            }
            return outbox.entries.popFirst()
        }
    }

    /// Ends the mailbox, because its target has ended: what waits is reported as undeliverable, and
    /// so are later posts, in their receipts. Registrations stay until their token or object goes.
    public func close() {
        var entries = MailQueue()
        var later = MailQueue()
        outbox.withLock { outbox in
            swap(&entries, &outbox.entries)
            inbox.withLock { inbox in
                inbox.isClosed = true
                swap(&later, &inbox.entries)
            }
        }
        var lost = UndeliverableCount()
        while let entry = entries.popFirst() ?? later.popFirst() {
            if entry.isHollow {
                entry.discard()
            } else {
                let others = entry.mailboxEnded(label)
                lost.add(entry.discard(), 1 + others)
            }
        }
        lost.report(mailbox: label)
    }

    /// Ends the observations for which something waits, because what they hear on has died.
    func expireWaiting() {
        var left = beginDrain()
        while left > 0, let entry = next() {
            entry.expire()
            left -= 1
        }
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
    private var counts: [ObjectIdentifier: (center: NotificationEngine, count: Int)] = [:]

    mutating func add(_ center: NotificationEngine, _ count: Int) {
        counts[ObjectIdentifier(center), default: (center, 0)].count += count
    }

    func report(mailbox: String) {
        for (center, count) in counts.values {
            center.report(.undeliverable(mailbox: mailbox, count: count))
        }
    }
}
