// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post that waits for its deliveries elsewhere: who is still to come, and what became of the
/// others.
@_spi(Engine) public final class PostWait: Sendable {
    /// What the post waits for.
    package enum Goal: Sendable {
        /// That every handler has returned.
        case handled
        /// That every delivery has a place in its mailbox.
        case accepted
    }

    private struct State: Sendable {
        /// Deliveries, and the post itself as long as it goes on.
        var missing = 1
        var delivered = 0
        /// The mailboxes that ended with a delivery of this post.
        var ended: [String] = []
        /// What the deliveries under way need to be free.
        var places: [WaitGraph.Place] = []
        var wake: Wake?
        var isOver = false
    }

    /// A closure behind a reference: a bare one is wrapped anew each time it is read.
    private final class Wake: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    let goal: Goal
    private let state = Guarded(State())

    init(_ goal: Goal) { self.goal = goal }

    /// Whether nobody waits any more: a delivery that has no place yet does not take one.
    var isOver: Bool { state.withLock(\.isOver) }

    /// How many deliveries reached a handler.
    var delivered: Int { state.withLock(\.delivered) }

    /// How many are still to come.
    var missing: Int { state.withLock(\.missing) }

    /// The mailboxes that ended with a delivery of this post.
    var ended: [String] { state.withLock(\.ended) }

    /// What has to be free for the deliveries to be made.
    var places: [WaitGraph.Place] { state.withLock(\.places) }

    /// Says that the post has gone to everybody: from now on only deliveries are waited for.
    func postIsDone() { leave() }

    /// Ends the wait, whatever is missing.
    func giveUp() { state.withLock { $0.isOver = true } }

    /// Calls `wake` when nothing is missing any more, perhaps at once.
    func whenDone(_ wake: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.missing == 0 { return true }
            state.wake = Wake(wake)
            return false
        }
        if isDone { wake() }
    }

    fileprivate func enter(_ places: [WaitGraph.Place]) {
        state.withLock { state in
            state.missing += 1
            state.places += places
        }
    }

    fileprivate func leave() {
        let wake = state.withLock { state -> Wake? in
            state.missing -= 1
            return state.missing == 0 ? state.wake.take() : nil
        }
        wake?.call()
    }

    fileprivate func note(delivered: Int = 0, ended mailbox: String? = nil) {
        state.withLock { state in
            state.delivered += delivered
            if let mailbox, !state.ended.contains(mailbox) { state.ended.append(mailbox) }
        }
    }
}

extension PostWait {
    /// One delivery that a post waits for. It is over when the ticket goes, whatever became of it.
    final class Ticket: Sendable {
        private let wait: PostWait

        /// - Parameter places: what has to be free for the delivery to be made.
        init(_ wait: PostWait, _ places: [WaitGraph.Place]) {
            self.wait = wait
            wait.enter(places)
        }

        deinit { wait.leave() }

        var isOver: Bool { wait.isOver }
        func wasDelivered() { wait.note(delivered: 1) }
        func mailboxEnded(_ label: String) { wait.note(ended: label) }
    }
}
