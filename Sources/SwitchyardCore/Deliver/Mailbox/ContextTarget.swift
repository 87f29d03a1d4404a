// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A thread, queue or loop of Switchyard's own on which a mailbox delivers. Its mailbox is known to
/// everybody and drained by nobody else; a ``MailboxTarget`` is the same for other modules.
package protocol ContextTarget: AnyObject, Sendable {
    /// The target's name in reports.
    var label: String { get }

    /// Has the mailbox drained once on the target, soon; see ``MailboxTarget/wake(_:)``.
    func wake(_ mailbox: SharedMailbox)

    /// Whether the caller runs on the target; see ``MailboxTarget/isCurrent``.
    var isCurrent: Bool { get }

    /// Whether handlers may run the target's loop inside themselves; see
    /// ``MailboxTarget/runsNestedLoops``.
    var runsNestedLoops: Bool { get }

    /// Whether it calls a handler again before an earlier call has returned, so that deliveries
    /// have no order.
    var overlapsCalls: Bool { get }

    /// Whether the target has ended without closing its mailbox, as an actor does: its observations
    /// end with the next post. A target that closes its mailbox when it ends need not implement
    /// this.
    var hasGone: Bool { get }
}

extension ContextTarget {
    package var hasGone: Bool { false }
    package var isCurrent: Bool { false }
    package var overlapsCalls: Bool { false }
    package var runsNestedLoops: Bool { false }
}

/// A mailbox's target that lives for as long as observations are registered there. Their memory may
/// stay for longer, and the mailbox with it.
package protocol KeptTarget: ContextTarget {
    /// Called on the registering thread, before the first delivery.
    func registrationBegan(_ observation: Observation)
    /// The registration has ended, and its last delivery too. Called on any thread, without a lock;
    /// perhaps from the observation's deinit.
    func registrationEnded(_ observation: Observation)
    /// A center delivers here by default from now on.
    func centerBegan()
    /// A center that delivered here by default has gone.
    func centerEnded()
}

/// A mailbox's target that knows the resources that must be free for it to deliver.
package protocol WaitableTarget: ContextTarget {
    var waitResources: [WaitGraph.Resource] { get }
    /// Whether the caller keeps the target from delivering, so that a post that waits delivers
    /// inline.
    var isHeldByCaller: Bool { get }
}

extension WaitableTarget {
    package var isHeldByCaller: Bool { isCurrent }
}
