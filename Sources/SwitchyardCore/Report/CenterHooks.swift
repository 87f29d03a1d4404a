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

/// The hooks of a center: who is told of problems and dead letters, and who looks on at deliveries.
struct CenterHooks: ~Copyable, Sendable {
    /// The onlookers of deliveries on the posting thread; see ``Onlooker``.
    private let onlookers = Atomic<UInt8>(0)
    /// The number of forks before somebody outside of the process began to look on.
    private let generation = Atomic<UInt64>(0)
    /// Observers that had died when something was to be delivered to them.
    let expired = Atomic<UInt64>(0)

    private let problem = Guarded<Callback<DeliveryProblem>?>(nil)
    private let deadLetter = Guarded<Callback<String>?>(nil)
    /// The uses that dead letters have, so that posts need not take a lock to know; see
    /// ``DeadLetterUse``.
    private let deadLetterUses = Atomic<UInt8>(0)

    private enum DeadLetterUse {
        /// The hook.
        static let hook: UInt8 = 1
        /// Whoever traces posts.
        static let trace: UInt8 = 2
    }

    enum Onlooker {
        /// The center's owner collects statistics.
        static let statistics: UInt8 = 1
        /// Somebody outside of the process has them counted.
        static let watched: UInt8 = 2
        /// Somebody traces posts.
        static let tracer: UInt8 = 4
    }

    /// Whether anybody looks on at deliveries on the posting thread. True in a forked child whose parent is
    /// looked at, until it is asked who does.
    @inline(__always)
    var hasOnlookers: Bool { onlookers.load(ordering: .relaxed) != 0 }

    /// What they look at, as bits of ``Onlooker``. Also true of a forked child's parent.
    @inline(__always)
    var onlookersNow: UInt8 { onlookers.load(ordering: .relaxed) }

    /// Whether deliveries on the posting thread are counted.
    var countsInline: Bool {
        forgetParent()
        return onlookers.load(ordering: .relaxed) & ~Onlooker.tracer != 0
    }

    /// Whether posts are traced, those also that nobody hears.
    var traces: Bool {
        get {
            forgetParent()
            return onlookers.load(ordering: .relaxed) & Onlooker.tracer != 0
        }
        nonmutating set {
            beginGeneration()
            set(Onlooker.tracer, newValue)
            setDeadLetterUse(DeadLetterUse.trace, newValue)
        }
    }

    var collectsStatistics: Bool {
        get { onlookers.load(ordering: .relaxed) & Onlooker.statistics != 0 }
        nonmutating set { set(Onlooker.statistics, newValue) }
    }

    var isWatched: Bool {
        get { onlookers.load(ordering: .relaxed) & Onlooker.watched != 0 }
        nonmutating set {
            beginGeneration()
            set(Onlooker.watched, newValue)
        }
    }

    private func beginGeneration() {
        forgetParent()
        generation.store(switchyard_fork_generation(), ordering: .relaxed)
    }

    /// Ends the looking on from outside in a forked child: those who look at a process do not look at the
    /// children that it forks.
    @inline(__always)
    private func forgetParent() {
        // Without onlookers from outside there is nothing to forget, and the generation may not be known.
        let outside = onlookers.load(ordering: .relaxed) & ~Onlooker.statistics
        if outside == 0 { return }
        if generation.load(ordering: .relaxed) == switchyard_known_fork_generation() { return }
        forget()
    }

    @inline(never)
    private func forget() {
        generation.store(switchyard_fork_generation(), ordering: .relaxed)
        set(Onlooker.watched, false)
        set(Onlooker.tracer, false)
        setDeadLetterUse(DeadLetterUse.trace, false)
    }

    private func set(_ bit: UInt8, _ isOn: Bool) {
        if isOn {
            onlookers.bitwiseOr(bit, ordering: .relaxed)
        } else {
            onlookers.bitwiseAnd(~bit, ordering: .relaxed)
        }
    }

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
        setDeadLetterUse(DeadLetterUse.hook, hook != nil)
    }

    private func setDeadLetterUse(_ bit: UInt8, _ isOn: Bool) {
        if isOn {
            deadLetterUses.bitwiseOr(bit, ordering: .releasing)
        } else {
            deadLetterUses.bitwiseAnd(~bit, ordering: .releasing)
        }
    }

    func report(_ problem: DeliveryProblem) {
        // A problem that the hook itself causes goes to standard error: calling the hook for it could go on
        // for ever.
        if let hook = self.problem.withLock({ $0 }), HookFrame.enter(hook, problem) { return }
        let line = "switchyard: \(problem.description)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    }

    @inline(__always)
    func reportDeadLetter(_ topic: Topic) {
        if deadLetterUses.load(ordering: .relaxed) != 0 { traceDeadLetter(topic) }
    }

    @inline(never)
    private func traceDeadLetter(_ topic: Topic) {
        if traces { PostTrace.unheard(topic) }
        callDeadLetterHook(topic)
    }

    /// Calls the hook, for a post that is traced already or is not to be.
    func callDeadLetterHook(_ topic: Topic) {
        guard let hook = deadLetter.withLock({ $0 }) else { return }
        // A dead letter of the hook's own is not reported: that could go on for ever.
        _ = HookFrame.enter(hook, topic.description)
    }
}
