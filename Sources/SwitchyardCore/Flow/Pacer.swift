// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Puts deliveries to one observation off until it is time for them.
final class Pacer: Sendable {
    private struct State: Sendable {
        var pace: PaceState<MailEntry>
        var timer: Task<Void, Never>?
        var hasEnded = false
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
        let action = state.withLock { state -> PaceState<MailEntry>.OfferAction? in
            state.hasEnded ? nil : state.pace.offer(entry, at: now)
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
            if let timer { startTimer(until: timer) }
            return .putOff
        }
    }

    /// Makes the delivery that waits, although it is not due.
    func deliverWaiting() { state.withLock { $0.pace.takeWaiting() }?.deliverPutOff() }

    private func startTimer(until deadline: Duration) {
        let timer = Task.detached { [self] in
            var action = PaceState<MailEntry>.TimerAction.sleep(until: deadline)
            while true {
                switch action {
                case .sleep(let until):
                    let hasSlept = (try? await pace.clock.sleep(until)) != nil
                    // Cancelled when the observation ends. Otherwise the clock itself fails: the
                    // delivery is made too early, and not lost.
                    if !hasSlept, state.withLock(\.hasEnded) { return }
                    let now = hasSlept ? pace.clock.now() : until
                    action = state.withLock { $0.pace.timerFired(at: now) }
                case .deliver(let entry):
                    entry.deliverPutOff()
                    action = state.withLock { $0.pace.delivered() }
                case .end:
                    return
                }
            }
        }
        state.withLock { state in
            // The one before it has ended, or is about to.
            state.timer = timer
            if state.hasEnded { timer.cancel() }
        }
    }

    /// Takes out and claims the delivery that waits, if that was asked for.
    func takeForFlush(of observation: Observation) -> AnyParcel? {
        guard pace.atCancel == .flush,
            let waiting = state.withLock({ $0.pace.takeWaiting() })
        else { return nil }
        let parcel = waiting.unwrap()
        guard observation.beginFlush() else { return nil }
        return ClaimedParcel(parcel, claimed: observation, by: self)
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
