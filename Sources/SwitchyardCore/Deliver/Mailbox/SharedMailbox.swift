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
    ///   - highWaterMark: the number of waiting deliveries that is reported; a positive number,
    ///     or this traps.
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

    /// Whether a post made here and now is delivered inline: on the target itself, with nothing
    /// waiting that it would overtake, and not from inside a handler of this mailbox.
    func deliversInline() -> Bool {
        guard target.isCurrent else { return false }
        return outbox.withLock { outbox in
            outbox.depth == 0 && outbox.entries.isEmpty
                && inbox.withLock { $0.entries.isEmpty && !$0.isClosed }
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
