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
        var expired = 0
        /// Deliveries that waited for room until the post gave up.
        var refused = 0
        /// The mailboxes that ended with a delivery of this post.
        var ended: [String] = []
        /// What the deliveries under way need to be free.
        var places: [WaitGraph.Place] = []
        var wake: Callback<Void>?
        /// What is to be done when the post gives up.
        var withdrawals: [Callback<PostWait>] = []
        var isOver = false
    }

    let goal: Goal
    private let state = Guarded(State())

    init(_ goal: Goal) { self.goal = goal }

    /// How many are still to come.
    var missing: Int { state.withLock(\.missing) }

    /// The mailboxes that ended with a delivery of this post.
    var ended: [String] { state.withLock(\.ended) }

    /// What the post has done by now, of which `receipt` is what it had done when it returned.
    func update(_ receipt: PostReceipt) -> PostReceipt {
        var updated = receipt
        state.withLock { state in
            updated.delivered += state.delivered
            updated.expired += state.expired
            updated.refused += state.refused
            if goal == .handled {
                updated.queued = state.missing
            } else {
                updated.queued -= state.refused
            }
        }
        return updated
    }

    /// What has to be free for the deliveries to be made.
    var places: [WaitGraph.Place] { state.withLock(\.places) }

    /// Says that the post has gone to everybody: from now on only deliveries are waited for.
    func postIsDone() { leave() }

    /// Ends the wait, whatever is missing: what has no room yet gets none.
    func giveUp() {
        let withdrawals = state.withLock { state in
            state.isOver = true
            defer { state.withdrawals = [] }
            return state.withdrawals
        }
        for withdrawal in withdrawals { withdrawal.call(self) }
    }

    /// Calls `withdraw` when the post gives up, perhaps at once.
    func whenGivenUp(_ withdraw: @escaping @Sendable (PostWait) -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.withdrawals.append(Callback(withdraw)) }
            return state.isOver
        }
        if isOver { withdraw(self) }
    }

    /// Notes a delivery that had no room until the post gave up.
    func wasRefused() { state.withLock { $0.refused += 1 } }

    /// Calls `wake` when nothing is missing any more, perhaps at once.
    func whenDone(_ wake: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.missing == 0 { return true }
            state.wake = Callback { wake() }
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
        let wake = state.withLock { state -> Callback<Void>? in
            state.missing -= 1
            return state.missing == 0 ? state.wake.take() : nil
        }
        wake?.call(())
    }

    fileprivate func note(_ outcome: DeliveryOutcome) {
        state.withLock { state in
            switch outcome {
            case .delivered: state.delivered += 1
            case .expired: state.expired += 1
            case .queued, .undeliverable, .watched: break
            }
        }
    }

    fileprivate func note(ended mailbox: String) {
        state.withLock { state in
            if !state.ended.contains(mailbox) { state.ended.append(mailbox) }
        }
    }
}

extension PostWait {
    /// One delivery that a post waits for. It is over when the ticket goes, whatever became of it.
    package final class Ticket: Sendable {
        private let wait: PostWait

        /// - Parameter places: what has to be free for the delivery to be made.
        package init(_ wait: PostWait, _ places: [WaitGraph.Place]) {
            self.wait = wait
            wait.enter(places)
        }

        deinit { wait.leave() }

        /// Says what became of the delivery.
        package func came(to outcome: DeliveryOutcome) { wait.note(outcome) }

        /// Says that what was to make the delivery has ended.
        package func mailboxEnded(_ label: String) { wait.note(ended: label) }
    }
}
