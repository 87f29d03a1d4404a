// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A thread, queue or loop on which a mailbox delivers. Conform to it to add a context of your own:
///
/// ```swift
/// final class PoolTarget: MailboxTarget {
///     let pool: MyThreadPool
///     init(_ pool: MyThreadPool) { self.pool = pool }
///     var label: String { "pool \(pool.name)" }
///     func wake(_ mailbox: DeliveryMailbox) { pool.submit { mailbox.drain() } }
/// }
/// let mailbox = DeliveryMailbox(target: PoolTarget(pool))
/// center.observe(Ping.self, on: .mailbox(mailbox)) { ping in … }
/// ```
/// Keep one mailbox for each target: order is kept within a mailbox. Only you and the target can drain
/// and close it; hand ``DeliveryMailbox/shared`` or a ``DeliveryContext`` to others.
public protocol MailboxTarget: AnyObject, Sendable {
    /// The target's name in reports.
    var label: String { get }

    /// Has ``DeliveryMailbox/drain()`` called once on the target, soon. Called on the posting
    /// thread, without any lock held, and not again before that drain has ended (or begun, with
    /// ``runsNestedLoops``). Calls to `drain` must not overlap, except that one may be made inside
    /// another.
    func wake(_ mailbox: DeliveryMailbox)

    /// Whether the caller runs on the target, so that a post made here is delivered before it
    /// returns when nothing else waits. `false`, unless you say otherwise: always through the
    /// mailbox.
    var isCurrent: Bool { get }

    /// Whether handlers may run the target's loop inside themselves, which then has to go on with
    /// what waits: ``wake(_:)`` is then called during a drain as well. `false`, unless you say
    /// otherwise.
    var runsNestedLoops: Bool { get }
}

extension MailboxTarget {
    /// False: every delivery goes through the mailbox.
    public var isCurrent: Bool { false }

    /// No.
    public var runsNestedLoops: Bool { false }
}
