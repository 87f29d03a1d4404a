// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Puts deliveries to one observation off until it is time for them.
final class Pacer: Sendable {
    private struct State: Sendable {
        var pace: PaceState<MailEntry>
        /// The number of timers that were started, or are about to be.
        var timers: UInt64 = 0
        var timer = LatestTimer()
        var hasEnded = false
        /// The deliveries that were due, if a cancellation is to make the last of them.
        var due = DueDeliveries()
        /// Whether a cancellation has come for the delivery that it is to make. Of several at once,
        /// one makes a delivery.
        var isFlushed = false
        /// Called when the timer has made the delivery that it is making.
        var whenDelivered: Callback<Void>?

        /// The action for a delivery that is posted; nil if the observation has ended. A delivery
        /// that is due is noted, if a cancellation is to make it.
        mutating func offer(
            _ entry: MailEntry, at now: Duration, flushes: Bool
        ) -> PaceState<MailEntry>.OfferAction? {
            if hasEnded { return nil }
            let action = pace.offer(entry, at: now)
            switch action {
            case .deliver(let entry): return flushes ? .deliver(noteDue(entry)) : action
            case .wait(_, let timer):
                if timer != nil { timers += 1 }
                return action
            }
        }

        /// The timer's next action. A delivery that is due is noted, if a cancellation is to make
        /// it.
        mutating func timerFired(
            at now: Duration, flushes: Bool
        ) -> PaceState<MailEntry>.TimerAction {
            let action = pace.timerFired(at: now)
            guard flushes, case .deliver(let entry) = action else { return action }
            return .deliver(noteDue(entry))
        }

        /// Notes a delivery that is due: a cancellation makes it, unless it has begun by then.
        mutating func noteDue(_ entry: MailEntry) -> MailEntry {
            guard let (parcel, observation) = entry.takeParcel() else { return entry }
            let due = DueParcel(around: parcel)
            self.due.add(due)
            return MailEntry(.passUnretained(observation), due)
        }
    }

    let pace: DeliveryPace
    private let state: Guarded<State>
    /// Deliveries that a cancellation flushed and that are still to come.
    let flushes = Atomic<Int>(0)

    init(_ pace: DeliveryPace) {
        self.pace = pace
        state = Guarded(State(pace: PaceState(pace.rule, pace.interval)))
    }

    /// Delivers now, by calling `deliver`, or later.
    func offer(
        _ entry: MailEntry, deliver: (consuming MailEntry) -> Void
    ) -> DeliveryFlow.Offer {
        let now = pace.clock.now()
        let (action, number) = state.withLock { state in
            (state.offer(entry, at: now, flushes: pace.atCancel == .flush), state.timers)
        }
        switch action {
        case nil:
            entry.discard()
            return .discarded
        case .deliver(let entry):
            deliver(entry)
            return .delivered
        case .wait(let replaced, let timer):
            replaced?.discard()
            if let timer { startTimer(number, until: timer) }
            return .putOff
        }
    }

    /// Whether a delivery waits for its time, or is being made.
    var isPutOff: Bool { state.withLock { $0.pace.isWaiting || $0.pace.isDelivering } }

    /// Makes the delivery that waits, although it is not due, and then calls `then`; both behind a
    /// delivery that the timer is making.
    func deliverWaiting(then: @escaping @Sendable () -> Void) {
        let (isMaking, waiting) = state.withLock { state -> (Bool, MailEntry?) in
            if state.pace.isDelivering {
                state.whenDelivered = Callback { then() }
                return (true, nil)
            }
            return (false, state.pace.takeWaiting())
        }
        if isMaking { return }
        waiting?.deliverPutOff()
        then()
    }

    private func startTimer(_ number: UInt64, until deadline: Duration) {
        let timer = Task.detached { [self] in await runTimer(until: deadline) }
        let hasEnded = state.withLock { state in
            state.timer.keep(timer, number)
            return state.hasEnded
        }
        if hasEnded { timer.cancel() }
    }

    private func runTimer(until deadline: Duration) async {
        var action = PaceState<MailEntry>.TimerAction.sleep(until: deadline)
        while true {
            switch action {
            case .sleep(let until):
                let hasSlept = (try? await pace.clock.sleep(until)) != nil
                // Cancelled when the observation ends. Otherwise the clock itself fails: the
                // delivery is made too early, and not lost.
                if !hasSlept, state.withLock(\.hasEnded) { return }
                let now = hasSlept ? pace.clock.now() : until
                action = state.withLock {
                    $0.timerFired(at: now, flushes: pace.atCancel == .flush)
                }
            case .deliver(let entry):
                entry.deliverPutOff()
                action = wasDelivered()
            case .end:
                return
            }
        }
    }

    /// The timer's next action after it has delivered.
    private func wasDelivered() -> PaceState<MailEntry>.TimerAction {
        let (action, then) = state.withLock { state in
            (state.pace.delivered(), state.whenDelivered.take())
        }
        if let then { deliverWaiting { then.call(()) } }
        return action
    }

    /// Takes out and claims the delivery that was put off and is not made, if that was asked for.
    func takeForFlush(of observation: Observation) -> AnyParcel? {
        // The use first, and its count: another caller that finds nothing more to take, and ends
        // the observation, sees that this one is to deliver.
        guard pace.atCancel == .flush, observation.beginUse() else { return nil }
        flushes.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let (waiting, due) = state.withLock { state -> (MailEntry?, DueDeliveries) in
            if state.isFlushed { return (nil, DueDeliveries()) }
            state.isFlushed = true
            return (state.pace.takeWaiting(), state.due)
        }
        if let waiting {
            let parcel = waiting.unwrap()
            if observation.claimForFlush() {
                return ClaimedParcel(parcel, claimed: observation, by: self)
            }
        } else if let parcel = due.takeNewest(of: observation) {
            return ClaimedParcel(parcel, claimed: observation, by: self)
        }
        flushes.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        observation.endOpenClaim()
        return nil
    }

    /// Drops the waiting delivery: the observation has ended.
    func observationEnded() {
        let (waiting, timer) = state.withLock { state in
            state.hasEnded = true
            return (state.pace.takeWaiting(), state.timer.take())
        }
        timer?.cancel()
        waiting?.discard()
    }
}
