// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What a center tells, and to whom.
struct CenterHooks: ~Copyable, Sendable {
    /// Whether inline deliveries are counted too.
    let collectsStatistics = Atomic<Bool>(false)
    /// Observers that had died when something was to be delivered to them.
    let expired = Atomic<UInt64>(0)

    private let problem = Guarded<Callback<DeliveryProblem>?>(nil)
    private let deadLetter = Guarded<Callback<String>?>(nil)
    /// Whether `deadLetter` is set, so that posts need not take its lock to know.
    private let hasDeadLetter = Atomic<Bool>(false)

    func setProblem(_ hook: (@Sendable (DeliveryProblem) -> Void)?) {
        _ = problem.exchange(hook.map { Callback($0) })
    }

    /// Lets go of what was set.
    func clear() {
        setProblem(nil)
        setDeadLetter(nil)
    }

    func setDeadLetter(_ hook: (@Sendable (String) -> Void)?) {
        _ = deadLetter.exchange(hook.map { Callback($0) })
        hasDeadLetter.store(hook != nil, ordering: .releasing)
    }

    func report(_ problem: DeliveryProblem) {
        if let hook = self.problem.withLock({ $0 }) {
            hook.call(problem)
        } else {
            let line = "switchyard: \(problem.description)\n"
            _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
        }
    }

    @inline(__always)
    func reportDeadLetter(_ topic: Topic) {
        if hasDeadLetter.load(ordering: .relaxed) { callDeadLetter(topic) }
    }

    @inline(never)
    private func callDeadLetter(_ topic: Topic) {
        guard let hook = deadLetter.withLock({ $0 }) else { return }
        // What the hook itself posts is not reported: it could go on for ever.
        if switchyard_is_in_dead_letter_hook() { return }
        switchyard_set_in_dead_letter_hook(true)
        hook.call(topic.description)
        switchyard_set_in_dead_letter_hook(false)
    }
}

extension NotificationEngine {
    /// Tells the problem hook, or, without one, standard error.
    package func report(_ problem: DeliveryProblem) { registry.hooks.report(problem) }

    /// What is called with every problem; nil: a line on standard error.
    package func onProblem(_ hook: (@Sendable (DeliveryProblem) -> Void)?) {
        registry.hooks.setProblem(hook)
    }

    /// What is called, on the posting thread, with the topic of each post that reached nobody.
    package func onDeadLetter(_ hook: (@Sendable (String) -> Void)?) {
        registry.hooks.setDeadLetter(hook)
    }

    /// Whether deliveries on the posting thread are counted for ``snapshot()``.
    package var collectsStatistics: Bool {
        get { registry.hooks.collectsStatistics.load(ordering: .relaxed) }
        set { registry.hooks.collectsStatistics.store(newValue, ordering: .relaxed) }
    }

    /// The live registrations.
    package func snapshot() -> CenterSnapshot {
        CenterSnapshot(
            entries: registry.observations.map(CenterSnapshot.Entry.init),
            expired: registry.hooks.expired.load(ordering: .relaxed))
    }
}

extension Observation {
    /// Tells the problem hook of its center.
    func report(_ problem: DeliveryProblem) { bucket.registry.hooks.report(problem) }

    /// Reports what its handler threw.
    ///
    /// - Returns: Whether the user's code ran.
    func report(_ error: any Error) -> Bool {
        if let skipped = error as? DeliverySkipped {
            report(skipped.problem)
            return false
        }
        report(.handlerThrew(error, in: self))
        return true
    }

    /// Ends it, because its observer object has died.
    func expire() {
        bucket.registry.hooks.expired.wrappingAdd(1, ordering: .relaxed)
        cancel()
    }
}
