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
/// Keep one mailbox for each target: order is kept within a mailbox.
public protocol MailboxTarget: AnyObject, Sendable {
    /// What reports call the target.
    var label: String { get }

    /// Has ``DeliveryMailbox/drain()`` called once on the target, soon. Called on the posting
    /// thread, without any lock held, once for each turn of the mailbox from empty to not empty.
    /// Calls to `drain` must not overlap, except that one may be made inside another.
    func wake(_ mailbox: DeliveryMailbox)

    /// Whether the caller runs on the target, so that a post made here is delivered before it
    /// returns when nothing else waits. `false`, unless you say otherwise: always through the
    /// mailbox.
    var isCurrent: Bool { get }
}

extension MailboxTarget {
    /// False: every delivery goes through the mailbox.
    public var isCurrent: Bool { false }
}
