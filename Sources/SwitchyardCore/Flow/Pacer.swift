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
    ///
    /// - Returns: False if the entry comes too early, and is not delivered.
    func offer(_ entry: MailEntry, deliver: (consuming MailEntry) -> Void) -> Bool {
        let now = pace.clock.now()
        let action = state.withLock { state -> PaceState<MailEntry>.OfferAction? in
            state.hasEnded ? nil : state.pace.offer(entry, at: now)
        }
        switch action {
        case nil: entry.discard()
        case .deliver(let entry): deliver(entry)
        case .wait(let replaced, let timer):
            replaced?.discard()
            if let timer { startTimer(until: timer) }
        case .turnAway(let entry):
            entry.discard()
            return false
        }
        return true
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

    /// Takes the delayed delivery that is to be made although the observation is about to end.
    func takeForFlush() -> MailEntry? {
        guard pace.atCancel == .flush else { return nil }
        return state.withLock { $0.pace.takeWaiting() }
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

// MARK: - The end

extension Pacer {
    /// Makes the delivery that was put off, when that was asked for, before the observation ends.
    ///
    /// - Parameter inline: whether it is made before this returns, on the calling thread, which is
    ///   that of the observer's context.
    func flush(_ observation: Observation, inline: Bool) {
        guard let waiting = takeForFlush() else { return }
        let parcel = waiting.unwrap()
        guard observation.beginFlush() else { return }
        let claimed = ClaimedParcel(parcel, claimed: observation, by: self)
        switch observation.mailbox {
        case .some(let mailbox) where inline:
            mailbox.inside(for: observation) { _ = claimed.deliver(to: observation) }
        case .some(let mailbox):
            let lost = mailbox.enqueuePutOff(claimed, to: observation) {
                mailbox.enqueue($0, to: observation, &$1)
            }
            mailbox.report(putOff: lost, of: observation)
        case .none where inline:
            _ = claimed.deliver(to: observation)
        case .none:
            Task.detached { _ = claimed.deliver(to: observation) }
        }
    }
}
