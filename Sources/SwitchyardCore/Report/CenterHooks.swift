// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The hooks of a center: who is told of problems, dead letters and registrations.
struct CenterHooks: ~Copyable, Sendable {
    /// The reasons for which deliveries on the posting thread are counted; see ``Counting``.
    private let counting = Atomic<UInt8>(0)
    /// Observers that had died when something was to be delivered to them.
    let expired = Atomic<UInt64>(0)

    private let problem = Guarded<Callback<DeliveryProblem>?>(nil)
    private let deadLetter = Guarded<Callback<String>?>(nil)
    /// Whether `deadLetter` is set, so that posts need not take its lock to know.
    private let hasDeadLetter = Atomic<Bool>(false)

    private enum Counting {
        /// The center's owner collects statistics.
        static let statistics: UInt8 = 1
        /// Somebody looks from outside.
        static let watched: UInt8 = 2
    }

    /// Whether deliveries on the posting thread are counted.
    @inline(__always)
    var countsInline: Bool { counting.load(ordering: .relaxed) != 0 }

    var collectsStatistics: Bool {
        get { counting.load(ordering: .relaxed) & Counting.statistics != 0 }
        nonmutating set { set(Counting.statistics, newValue) }
    }

    var isWatched: Bool {
        get { counting.load(ordering: .relaxed) & Counting.watched != 0 }
        nonmutating set { set(Counting.watched, newValue) }
    }

    private func set(_ bit: UInt8, _ isOn: Bool) {
        if isOn {
            counting.bitwiseOr(bit, ordering: .relaxed)
        } else {
            counting.bitwiseAnd(~bit, ordering: .relaxed)
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
        hasDeadLetter.store(hook != nil, ordering: .releasing)
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
        if hasDeadLetter.load(ordering: .relaxed) { callDeadLetter(topic) }
    }

    @inline(never)
    private func callDeadLetter(_ topic: Topic) {
        guard let hook = deadLetter.withLock({ $0 }) else { return }
        // A dead letter of the hook's own is not reported: that could go on for ever.
        _ = HookFrame.enter(hook, topic.description)
    }
}
