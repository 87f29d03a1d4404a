// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The time limit of one wait in a task.
///
/// Not a task that sleeps: a task's runtime keeps a cancelled sleep until it would have ended. A
/// program that answers 10,000 requests a second, each within a minute, would have 600,000 of them.
struct WaitTimer: Sendable {
    private let number: UInt64

    /// Starts the timer.
    ///
    /// - Parameters:
    ///   - limit: the time from now.
    ///   - fire: called on the timers' thread; must not block.
    init(after limit: Duration, _ fire: @escaping @Sendable () -> Void) {
        number = WaitTimers.shared.add(.now + limit.withinACentury, fire)
    }

    func cancel() { WaitTimers.shared.remove(number) }
}

/// The timers of all waits, and the thread that fires them. The thread starts with the first timer,
/// and sleeps while there is none.
private final class WaitTimers: Sendable {
    static let shared = WaitTimers()

    private struct State: Sendable {
        var due = Deadlines()
        var fires: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
        var hasThread = false
        /// The time at which the thread looks again; nil if it sleeps until it is woken.
        var nextLook: ContinuousClock.Instant?
    }

    private let state = Guarded(State())
    private let changed = ThreadSignal()

    func add(
        _ deadline: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void
    ) -> UInt64 {
        let (number, isFirst, hasThread) = state.withLock { state in
            state.last += 1
            state.fires[state.last] = fire
            state.due.insert(deadline, state.last)
            startIfNeeded(&state)
            let isFirst = state.nextLook.map { deadline < $0 } ?? true
            if isFirst { state.nextLook = deadline }
            return (state.last, isFirst, state.hasThread)
        }
        if !hasThread { sleep(until: deadline, fire) }
        if isFirst { changed.raise() }
        return number
    }

    /// Fires a timer from a task, because the system starts no thread now. The next timer tries
    /// again.
    private func sleep(
        until deadline: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void
    ) {
        Task.detached {
            try? await Task.sleep(until: deadline)
            fire()
        }
    }

    func remove(_ number: UInt64) {
        let fire = state.withLock { state in
            let fire = state.fires.removeValue(forKey: number)
            let fires = state.fires
            state.due.tidy(keeping: fires.count) { fires[$0] != nil }
            return fire
        }
        // Released without the lock.
        withExtendedLifetime(fire) {}
    }

    private func startIfNeeded(_ state: inout State) {
        if !state.hasThread {
            state.hasThread = SystemThread.tryToStart("sw-timers") { self.run() } == 0
        }
    }

    private func run() {
        while true {
            let (fires, next) = takeDue(at: .now)
            for fire in fires { fire() }
            if fires.isEmpty { _ = changed.wait(until: next) }
        }
    }

    private func takeDue(
        at now: ContinuousClock.Instant
    ) -> (fires: [@Sendable () -> Void], next: ContinuousClock.Instant?) {
        state.withLock { state in
            var fires: [@Sendable () -> Void] = []
            while let first = state.due.first {
                let isLive = state.fires[first.number] != nil
                if isLive, first.deadline > now { break }
                state.due.removeFirst()
                if let fire = state.fires.removeValue(forKey: first.number) { fires.append(fire) }
            }
            state.nextLook = state.due.first?.deadline
            return (fires, state.nextLook)
        }
    }
}
