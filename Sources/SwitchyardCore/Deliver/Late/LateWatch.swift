// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Watches how long one center's deliveries wait in one mailbox, and how long their handlers run.
///
/// The watch reads its clock when a delivery is posted, begins and ends. While a handler runs, a
/// task sleeps until the limit, so that a handler that never returns is reported as well. A mailbox
/// without a watch reads no clock.
final class LateWatch: MailboxWatch, @unchecked Sendable {
    // Sendable: as its superclass; constant, or behind a lock.
    private let context: String
    private let clock: PaceClock
    private let hook: Callback<LateDelivery>
    private let state: Guarded<LateState<Observation>>
    private let timer = Guarded(Timer())

    private struct Timer: Sendable {
        var latest = LatestTimer()
        var hasEnded = false
    }

    /// - Parameters:
    ///   - registry: the center's ``MailboxWatch/registry``.
    ///   - context: the mailbox's name in reports.
    init(
        _ registry: UInt, on context: String, after limit: Duration, _ clock: PaceClock,
        _ hook: @escaping @Sendable (LateDelivery) -> Void
    ) {
        self.context = context
        self.clock = clock
        self.hook = Callback(hook)
        state = Guarded(LateState(limit: limit.withinACentury))
        super.init(registry)
    }

    deinit { end() }

    /// The time on the watch's clock.
    var now: Duration { clock.now() }

    /// Tells nothing more.
    func end() {
        let task = timer.withLock { timer in
            timer.hasEnded = true
            return timer.latest.take()
        }
        task?.cancel()
    }

    private var hasEnded: Bool { timer.withLock(\.hasEnded) }
}

// MARK: - One delivery

extension LateWatch {
    /// The wait of a delivery, before it is made.
    enum Wait {
        case none
        /// The delivery was put into the mailbox at this time.
        case since(Duration)
        /// A pause has kept it.
        case inPause
    }

    /// Makes a delivery, by calling `deliver`, which says whether it was made.
    func deliver<Outcome>(
        to observation: Observation, _ wait: Wait, _ deliver: () -> Outcome?
    ) -> Outcome? {
        // Deliveries to a cancelled observation may still wait in the mailbox. They are not
        // measured.
        if observation.isCancelled { return deliver() }
        let number = begin(observation, wait)
        let running = RunningDelivery(number, of: self)
        ThreadEnd.notify(running)
        defer { ThreadEnd.forget(running) }
        let outcome = deliver()
        end(number, wasMade: outcome != nil)
        return outcome
    }

    /// A delivery under way, whose handler may end its thread and never return.
    private final class RunningDelivery: EndsWithThread {
        private let number: UInt64
        private let watch: LateWatch

        init(_ number: UInt64, of watch: LateWatch) {
            self.number = number
            self.watch = watch
        }

        func threadEnds() { watch.end(number, wasMade: false) }
    }

    private func begin(_ observation: Observation, _ wait: Wait) -> UInt64 {
        let now = now
        let waited: Duration? =
            switch wait {
            case .none: .zero
            case .since(let posted): now - posted
            case .inPause: nil
            }
        let (number, deadline) = state.withLock { $0.begin(observation, at: now, waited: waited) }
        if let deadline { startTimer(number, until: deadline) }
        return number
    }

    private func end(_ number: UInt64, wasMade: Bool) {
        let now = now
        guard let (ended, isLate) = state.withLock({ $0.end(number, at: now) }) else { return }
        if isLate, wasMade { tell(ended, at: now, isStillRunning: false) }
    }

    /// Calls the hook. A delivery that the hook itself makes is not told to it: that could go on
    /// for ever.
    private func tell(
        _ delivery: LateState<Observation>.Running, at now: Duration, isStillRunning: Bool
    ) {
        if hasEnded { return }
        let observation = delivery.handler
        let late = LateDelivery(
            topic: observation.owner.topic.description, origin: observation.origin,
            context: context, waited: delivery.waited, took: now - delivery.began,
            isStillRunning: isStillRunning)
        _ = HookFrame.enter(hook, late)
    }
}

// MARK: - The timer

extension LateWatch {
    /// - Parameter number: the number of the delivery for which it is started.
    private func startTimer(_ number: UInt64, until deadline: Duration) {
        let task = Task.detached { [clock, weak self] in
            var next: Duration? = deadline
            while let until = next {
                // Fails when the task is cancelled: the watch has ended. Otherwise the clock itself
                // fails.
                guard (try? await clock.sleep(until)) != nil else {
                    self?.timerFailed()
                    return
                }
                next = self?.timerFired()
            }
        }
        let isLate = timer.withLock { timer in
            timer.latest.keep(task, number)
            return timer.hasEnded
        }
        if isLate { task.cancel() }
    }

    /// The deliveries under way are told when they have ended; the next one starts a timer again.
    private func timerFailed() { state.withLock { $0.timerFailed() } }

    /// - Returns: The time until which to sleep again; nil: the timer is over.
    private func timerFired() -> Duration? {
        let now = now
        let (late, next) = state.withLock { $0.timerFired(at: now) }
        for delivery in late { tell(delivery, at: now, isStillRunning: true) }
        return next
    }
}
