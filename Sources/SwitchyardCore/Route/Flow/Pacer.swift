// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Puts deliveries to one observation off until it is time for them.
final class Pacer: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: behind the lock; entries are handed over.
        var pace: PaceState<MailEntry>
        var timer: Task<Void, Never>?
        var hasEnded = false
    }

    private let pace: Pace
    private let state: Guarded<State>

    init(_ pace: Pace) {
        self.pace = pace
        state = Guarded(State(pace: PaceState(pace.rule, pace.interval)))
    }

    /// Delivers now, by calling `deliver`, or later.
    func offer(_ entry: MailEntry, deliver: (consuming MailEntry) -> Void) {
        let now = pace.clock.now()
        let action = state.withLock { state -> PaceState<MailEntry>.OfferAction? in
            state.hasEnded ? nil : state.pace.offer(entry, at: now)
        }
        switch action {
        case nil: entry.discard()
        case .deliver(let entry): deliver(entry)
        case .wait(let replaced, let startsTimer):
            replaced?.discard()
            if startsTimer { startTimer() }
        }
    }

    private func startTimer() {
        let timer = Task.detached { [self] in
            var deadline = state.withLock { $0.pace.deadline }
            while true {
                // Fails when the task is cancelled: the observation has ended.
                guard (try? await pace.clock.sleep(deadline)) != nil else { return }
                let now = pace.clock.now()
                switch state.withLock({ $0.pace.timerFired(at: now) }) {
                case .sleep(let until): deadline = until
                case .deliver(let entry): return entry.deliverLate()
                case .end: return
                }
            }
        }
        let isLate = state.withLock { state in
            state.timer = timer
            return state.hasEnded
        }
        if isLate { timer.cancel() }
    }

    /// What waits, when it is to be delivered although the observation is about to end.
    func flush() -> MailEntry? {
        guard pace.atCancel == .flush else { return nil }
        return state.withLock { $0.pace.takeWaiting() }
    }

    /// Drops what waits: the observation has ended.
    func observationEnded() {
        let (waiting, timer) = state.withLock { state in
            state.hasEnded = true
            return (state.pace.takeWaiting(), state.timer.take())
        }
        timer?.cancel()
        waiting?.discard()
    }
}
