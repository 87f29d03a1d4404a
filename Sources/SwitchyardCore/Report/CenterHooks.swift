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

/// The hooks of a center: the functions that are told of problems and dead letters, and the
/// onlookers of deliveries.
struct CenterHooks: ~Copyable, Sendable {
    /// The onlookers of deliveries on the posting thread; see ``Onlooker``.
    private let onlookers = Atomic<UInt8>(0)
    /// The number of forks before somebody outside of the process began to look on.
    private let generation = Atomic<UInt64>(0)
    /// Observers that had died when something was to be delivered to them.
    let expired = Atomic<UInt64>(0)

    private let problem = Guarded<Callback<DeliveryProblem>?>(nil)
    private let deadLetter = Guarded<Callback<String>?>(nil)
    /// Listeners beside the two hooks, in the order in which they came.
    private let listeners = Guarded<[CenterListener]>([])
    private let storedFollower = Guarded<PostFollower?>(nil)
    /// The uses that dead letters have, so that posts need not take a lock to know; see
    /// ``DeadLetterUse``.
    private let deadLetterUses = Atomic<UInt8>(0)

    private enum DeadLetterUse {
        /// The hook.
        static let hook: UInt8 = 1
        /// The bit of tools that trace posts.
        static let trace: UInt8 = 2
        /// A listener.
        static let listener: UInt8 = 4
    }

    enum Onlooker {
        /// The center's owner collects statistics.
        static let statistics: UInt8 = 1
        /// Somebody outside of the process has them counted.
        static let watched: UInt8 = 2
        /// Somebody traces posts.
        static let tracer: UInt8 = 4
        /// A follower stands around the calls of handlers.
        static let follower: UInt8 = 8

        /// The onlookers that have each delivery on the posting thread counted.
        static let counters = statistics | watched
        /// The onlookers from outside of the process.
        static let outside = watched | tracer
    }

    /// Whether anybody looks on at deliveries on the posting thread. True also in a forked child
    /// whose parent has onlookers, until the child has forgotten these.
    @inline(__always)
    var hasOnlookers: Bool { onlookers.load(ordering: .relaxed) != 0 }

    /// The bits of the onlookers; see ``Onlooker``. In a forked child, those of its parent until it
    /// is asked.
    @inline(__always)
    var onlookersNow: UInt8 { onlookers.load(ordering: .relaxed) }

    /// Whether deliveries on the posting thread are counted.
    var countsInline: Bool {
        forgetParent()
        return onlookers.load(ordering: .relaxed) & Onlooker.counters != 0
    }

    /// Whether a follower stands around the calls of handlers.
    @inline(__always)
    var isFollowed: Bool { onlookers.load(ordering: .relaxed) & Onlooker.follower != 0 }

    /// The follower of the center's posts.
    var follower: PostFollower? {
        get { isFollowed ? storedFollower.withLock { $0 } : nil }
        nonmutating set {
            var follower = newValue
            // Together, because two threads may set it at once.
            storedFollower.withLock { stored in
                swap(&stored, &follower)
                set(Onlooker.follower, newValue != nil)
            }
            // The old one may be the last reference: let go without the lock.
            withExtendedLifetime(follower) {}
        }
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

    /// Ends the looking on from outside in a forked child: a tool that looks at a process does not
    /// look at the children that it forks.
    @inline(__always)
    private func forgetParent() {
        // A process without onlookers from outside has nothing to forget, and may not know the
        // generation.
        let outside = onlookers.load(ordering: .relaxed) & Onlooker.outside
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

    /// Lets go of the hooks that were set.
    func clear() {
        setProblem(nil)
        setDeadLetter(nil)
        _ = listeners.exchange([])
        setDeadLetterUse(DeadLetterUse.listener, false)
    }

    func add(_ listener: CenterListener) {
        listeners.withLock { listeners in
            listeners.append(listener)
            if listener.deadLetter != nil { setDeadLetterUse(DeadLetterUse.listener, true) }
        }
    }

    func remove(_ listener: CenterListener) {
        // The caller releases the listener, and all that it keeps, without the lock.
        listeners.withLock { listeners in
            listeners.removeAll { $0 === listener }
            let isUsed = listeners.contains { $0.deadLetter != nil }
            setDeadLetterUse(DeadLetterUse.listener, isUsed)
        }
    }

    func setDeadLetter(_ hook: (@Sendable (String) -> Void)?) {
        var callback = hook.map { Callback($0) }
        // Together, because two threads may set it at once.
        deadLetter.withLock { deadLetter in
            swap(&deadLetter, &callback)
            setDeadLetterUse(DeadLetterUse.hook, hook != nil)
        }
        // The last reference to the old one is let go without the lock.
        withExtendedLifetime(callback) {}
    }

    private func setDeadLetterUse(_ bit: UInt8, _ isOn: Bool) {
        if isOn {
            deadLetterUses.bitwiseOr(bit, ordering: .releasing)
        } else {
            deadLetterUses.bitwiseAnd(~bit, ordering: .releasing)
        }
    }

    func report(_ problem: DeliveryProblem) {
        let isLogged = tellListeners(problem)
        // A problem that the hook itself causes before it returns goes to standard error: calling
        // the hook for it could go on for ever. A delivery that it queued comes later, and is
        // reported to it.
        if let hook = self.problem.withLock({ $0 }), HookFrame.enter(hook, problem) { return }
        if isLogged { return }
        let line = "switchyard: \(problem.description.shown)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    }

    /// Tells the listeners alone.
    ///
    /// - Returns: Whether one of them logs problems.
    @discardableResult
    func tellListeners(_ problem: DeliveryProblem) -> Bool {
        var isLogged = false
        for listener in listeners.withLock({ $0 }) {
            if HookFrame.enter(listener.problem, problem), listener.logs { isLogged = true }
        }
        return isLogged
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
        // A dead letter that a hook posts before it returns is not reported to it: that could go on
        // for ever.
        if let hook = deadLetter.withLock({ $0 }) { _ = HookFrame.enter(hook, topic.description) }
        if deadLetterUses.load(ordering: .relaxed) & DeadLetterUse.listener == 0 { return }
        for listener in listeners.withLock({ $0 }) {
            if let hook = listener.deadLetter { _ = HookFrame.enter(hook, topic.description) }
        }
    }
}
