// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A thread, queue or loop on which a mailbox delivers. Conform to it to add a context of your own:
///
/// ```swift
/// final class PoolTarget: MailboxTarget {
///     static let mailboxes = MailboxDirectory()
///     let pool: MyThreadPool
///     init(_ pool: MyThreadPool) { self.pool = pool }
///     var label: String { "pool \(pool.name)" }
///     func wake(_ mailbox: DeliveryMailbox) { pool.submit { mailbox.drain() } }
/// }
/// extension DeliveryContext {
///     static func pool(_ pool: MyThreadPool) -> DeliveryContext {
///         .mailbox(
///             PoolTarget.mailboxes.mailbox(of: pool) {
///                 DeliveryMailbox(target: PoolTarget(pool)).shared
///             })
///     }
/// }
/// center.observe(Ping.self, on: .pool(pool)) { ping in … }
/// ```
/// Order is kept within a mailbox, so each pool has one, for all centers and observers: a
/// ``MailboxDirectory`` finds it. Only you and the target can drain and close a mailbox; hand
/// ``DeliveryMailbox/shared`` or a ``DeliveryContext`` to others.
public protocol MailboxTarget: AnyObject, Sendable {
    /// The target's name in reports.
    var label: String { get }

    /// Has ``DeliveryMailbox/drain()`` called once on the target, soon. Called on the posting
    /// thread, or, at the end of a drain that leaves mail behind, on the draining thread inside
    /// `drain()`; without any lock of Switchyard's held, and not again before that drain has made
    /// its last delivery (or begun, with ``runsNestedLoops``). From this call on, the next drain
    /// may begin on any thread, also before an earlier `drain()` has returned. Nothing else makes
    /// two calls of `drain` overlap.
    ///
    /// Hand the drain over, and return. A `wake` that drains at once is called inside that drain
    /// again if a handler posts to its own mailbox: the calls nest deeper with each such post, and
    /// a lock that is held around `drain` blocks.
    func wake(_ mailbox: DeliveryMailbox)

    /// Whether the caller runs on the target, so that a post made here is delivered before it
    /// returns when nothing else waits. `false`, unless you say otherwise: always through the
    /// mailbox.
    var isCurrent: Bool { get }

    /// Whether handlers may run the target's loop inside themselves, which then has to go on with
    /// the waiting mail: ``wake(_:)`` is then called during a drain as well. `false`, unless you
    /// say otherwise.
    var runsNestedLoops: Bool { get }

    /// The one thread on which the target delivers; nil, the default, if there are several, or it
    /// is not known yet. With a thread, a post that waits for handlers throws
    /// ``PostWaitError/Code/cycle`` where it would wait for itself through code that runs on this
    /// thread, in place of waiting for ever. Return nil when the thread has ended: another may get
    /// its identity.
    var thread: ThreadIdentity? { get }
}

extension MailboxTarget {
    /// False: every delivery goes through the mailbox.
    public var isCurrent: Bool { false }

    /// False: handlers don't run the target's loop inside themselves.
    public var runsNestedLoops: Bool { false }

    /// Nil: the target delivers on several threads, or on one that it does not name.
    public var thread: ThreadIdentity? { nil }
}
