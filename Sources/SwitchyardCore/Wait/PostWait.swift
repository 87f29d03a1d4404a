// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The wait of a post for its deliveries elsewhere: the tickets of the deliveries that are still to
/// be made, and the outcomes of the others.
@_spi(Engine) public final class PostWait: Sendable {
    /// The event that the post waits for.
    package enum Goal: Sendable {
        /// Every handler has returned.
        case handled
        /// Every delivery has room in its mailbox.
        case accepted
        /// The post has returned and waits for nothing; a pace had put its delivery off.
        case nothing
    }

    private struct State: Sendable {
        /// Deliveries, and the post itself as long as it goes on.
        var missing = 1
        /// The number of missing deliveries whose outcome is counted below already.
        var counted = 0
        var delivered = 0
        var expired = 0
        /// Deliveries that a sequence or a bound lost.
        var dropped = 0
        /// Earlier deliveries of other posts, which gave way to deliveries of this one.
        var displacedOthers = 0
        /// Deliveries that ended with their mailbox.
        var undeliverable = 0
        /// Deliveries that waited for room until the post gave up.
        var refused = 0
        /// Deliveries that waited for room until their observation ended.
        var ended = 0
        /// The mailboxes that ended with a delivery of this post.
        var endedMailboxes: [String] = []
        /// The resources that each delivery under way needs to be free, by its ticket.
        var resources: [ObjectIdentifier: [WaitGraph.Resource]] = [:]
        /// The wait of the post's thread or task, once that has begun.
        var edge: WaitGraph.Wait?
        /// Whether a delivery has moved on before.
        var hasMoved = false
        /// The cycle that the wait has become since a delivery moved to another observation.
        var cycle: WaitGraph.Cycle?
        var wake: Callback<Void>?
        /// Callbacks for the moment when the post gives up.
        var withdrawals: [Callback<PostWait>] = []
        var isOver = false
        /// Whether somebody has ended the wait, although deliveries are missing.
        var isEnded = false
        /// Whether the wait has ended with an error, so that nobody counts later deliveries.
        var isAbandoned = false
    }

    let goal: Goal
    /// Whether the thread or task of the post goes on only when its deliveries have been made.
    let holdsCaller: Bool
    /// Whether a delivery that finds no room waits for it. Otherwise it is refused.
    let waitsForRoom: Bool
    private let state = Guarded(State())

    init(_ goal: Goal, holdsCaller: Bool = true, waitsForRoom: Bool = true) {
        self.goal = goal
        self.holdsCaller = holdsCaller
        self.waitsForRoom = waitsForRoom
    }

    /// The number of deliveries that are still to come.
    var missing: Int { state.withLock(\.missing) }

    /// The mailboxes that ended with a delivery of this post.
    var endedMailboxes: [String] { state.withLock(\.endedMailboxes) }

    /// `receipt`, which the post had when it returned, with the deliveries since.
    func update(_ receipt: PostReceipt) -> PostReceipt {
        var updated = receipt
        state.withLock { state in
            updated.delivered += state.delivered
            updated.expired += state.expired
            updated.dropped += state.dropped
            updated.undeliverable += state.undeliverable
            updated.refused += state.refused
            if goal == .handled {
                updated.queued = state.missing - state.counted
            } else {
                // Only deliveries that waited for room are noted here; the receipt calls them
                // queued.
                updated.queued -= state.refused + state.undeliverable + state.ended
            }
        }
        return updated
    }

    /// The resources that must be free for the deliveries to be made.
    var resources: [WaitGraph.Resource] { state.withLock { $0.resources.values.flatMap(\.self) } }

    /// Takes note that the thread or task of the post waits.
    func began(_ edge: WaitGraph.Wait) {
        let hasMoved = state.withLock { state in
            state.edge = edge
            return state.hasMoved
        }
        if hasMoved { lookForCycle(edge) }
    }

    /// Takes note that the thread or task of the post waits no longer.
    func ended(_ edge: WaitGraph.Wait) {
        WaitGraph.end(edge)
        // Cleared, because the edge holds a reference to this wait.
        state.withLock { $0.edge = nil }
    }

    /// The standing of a wait that may have been woken.
    enum Standing {
        /// The wait goes on: the cycle that woke it is none any more, because a delivery has moved
        /// on again.
        case goesOn
        /// No delivery is missing any more, or somebody has ended the wait.
        case over
        /// The wait can't come to its end.
        case cycle(WaitGraph.Cycle)
    }

    var standing: Standing {
        state.withLock { state in
            if state.missing == 0 || state.isEnded { return .over }
            return state.cycle.map { .cycle($0) } ?? .goesOn
        }
    }

    /// Ends the wait if it can't come to its end, because of a delivery that has moved on.
    private func lookForCycle(_ edge: WaitGraph.Wait) {
        guard let cycle = WaitGraph.cycle(of: edge) else { return }
        let wake = state.withLock { state in
            state.cycle = cycle
            return state.wake.take()
        }
        wake?.call(())
    }

    /// Ends the wait as if nothing were missing.
    func end() {
        let wake = state.withLock { state in
            state.isEnded = true
            return state.wake.take()
        }
        wake?.call(())
    }

    /// Whether somebody has ended the wait, although deliveries may be missing.
    var isEnded: Bool { state.withLock(\.isEnded) }

    /// Says that the post has been routed to all observers: from now on it waits for deliveries
    /// alone.
    func postIsDone() { leave(nil) }

    /// Ends the wait, whatever is missing: a delivery that has no room yet gets none.
    func giveUp() {
        let withdrawals = state.withLock { state in
            state.isOver = true
            defer { state.withdrawals = [] }
            return state.withdrawals
        }
        for withdrawal in withdrawals { withdrawal.call(self) }
    }

    /// Ends the wait with an error, as ``giveUp()`` does. From then on nobody counts what becomes
    /// of the deliveries.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        giveUp()
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

    /// Whether no delivery is missing after all, although the wait was given up: the last ones got
    /// room, or were made, just before. With an error, the poster would take them for lost and post
    /// them again.
    var isSettled: Bool {
        state.withLock { $0.refused == 0 && (goal == .accepted || $0.missing == $0.counted) }
    }

    /// Notes that a delivery of another post gave way to one of this post. The receipt counts it as
    /// dropped.
    func displacedOther() { state.withLock { $0.displacedOthers += 1 } }

    /// The number of this post's own deliveries that are lost, as the updated receipt `receipt`
    /// counts them.
    func lostDeliveries(_ receipt: PostReceipt) -> Int {
        max(0, receipt.dropped + receipt.refused - state.withLock(\.displacedOthers))
    }

    /// ``lostDeliveries(_:)`` without those that waited for room until the post gave up.
    func deliveriesLostEarlier(_ receipt: PostReceipt) -> Int {
        max(0, lostDeliveries(receipt) - state.withLock(\.refused))
    }

    /// Calls `wake` when nothing is missing any more, perhaps at once.
    func whenDone(_ wake: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.missing == 0 || state.isEnded || state.cycle != nil { return true }
            state.wake = Callback { wake() }
            return false
        }
        if isDone { wake() }
    }

    // MARK: - Told by the tickets

    func enter(_ ticket: ObjectIdentifier, _ resources: [WaitGraph.Resource]) {
        state.withLock { state in
            state.missing += 1
            state.resources[ticket] = resources
        }
    }

    /// Changes the resources that a delivery under way needs.
    func change(_ ticket: ObjectIdentifier, _ resources: [WaitGraph.Resource]) {
        let edge = state.withLock { state -> WaitGraph.Wait? in
            if state.resources[ticket] == nil { return nil }
            state.resources[ticket] = resources
            state.cycle = nil
            state.hasMoved = true
            return state.edge
        }
        if let edge { lookForCycle(edge) }
    }

    /// - Parameter ticket: nil for the post itself.
    func leave(_ ticket: Ticket?) {
        let wake = state.withLock { state -> Callback<Void>? in
            if let ticket {
                if ticket.hasLeft { return nil }
                ticket.hasLeft = true
                if ticket.isCounted { state.counted -= 1 }
                state.resources[ObjectIdentifier(ticket)] = nil
            }
            state.missing -= 1
            return state.missing == 0 ? state.wake.take() : nil
        }
        wake?.call(())
    }

    /// Counts what became of a delivery, once.
    private func count(_ ticket: Ticket, _ change: (inout State) -> Void) {
        state.withLock { state in
            if ticket.isCounted || ticket.hasLeft { return }
            ticket.isCounted = true
            state.counted += 1
            change(&state)
        }
    }

    func note(_ outcome: DeliveryOutcome, of ticket: Ticket) {
        count(ticket) { state in
            switch outcome {
            case .delivered, .consumed: state.delivered += 1
            case .displaced:
                state.delivered += 1
                state.dropped += 1
            case .dropped: state.dropped += 1
            case .expired: state.expired += 1
            case .queued, .undeliverable, .tooLate, .uncounted: break
            }
        }
    }

    /// - Returns: Whether the wait has counted the delivery, and tells of it.
    func note(ended mailbox: String, of ticket: Ticket) -> Bool {
        state.withLock { state in
            if ticket.hasLeft { return true }
            if state.isAbandoned { return false }
            if ticket.isCounted { return true }
            ticket.isCounted = true
            state.counted += 1
            state.undeliverable += 1
            if !state.endedMailboxes.contains(mailbox) { state.endedMailboxes.append(mailbox) }
            return true
        }
    }

    func noteEndOfObservation() { state.withLock { $0.ended += 1 } }
}
