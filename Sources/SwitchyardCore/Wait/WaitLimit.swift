// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The time limit of a wait in a task: a function that is called when the time is up, unless the
/// wait has ended before.
///
/// All limits of the process share few sleeping tasks. A task of its own for each limit would have
/// to be cancelled when its wait ends, and the runtime keeps a cancelled sleep until the sleep
/// would have ended: a program that answers 10,000 requests a second, each within a minute, would
/// have 600,000 of them.
package struct WaitLimit: Sendable {
    private typealias Expire = @Sendable () -> Void

    private static let schedule: Guarded<LimitSchedule<Expire>> = {
        let schedule = Guarded(LimitSchedule<Expire>())
        // A forked child may cancel a limit of its parent's.
        schedule.holdAcrossForks()
        return schedule
    }()

    private let number: UInt64

    /// Sets a limit.
    ///
    /// - Parameters:
    ///   - limit: the time from now.
    ///   - expire: called once, on the pool of tasks, when the time is up. Must not block.
    package init(after limit: Duration, _ expire: @escaping @Sendable () -> Void) {
        let deadline = ContinuousClock.now + limit.withinACentury
        let (number, look) = Self.schedule.withLock { $0.add(expire, at: deadline) }
        self.number = number
        if let look { Self.sleep(until: look) }
    }

    /// Removes the limit, because the wait has ended. The function may be under way, or have been
    /// called.
    package func cancel() {
        let expire = Self.schedule.withLock { $0.remove(number) }
        // Released without the lock: it may hold the last reference to anything.
        withExtendedLifetime(expire) {}
    }

    private static func sleep(until look: ContinuousClock.Instant) {
        Task.detached {
            try? await Task.sleep(until: look, clock: .continuous)
            expireDue(after: look)
        }
    }

    private static func expireDue(after look: ContinuousClock.Instant) {
        let (due, next) = schedule.withLock { $0.takeDue(at: .now, after: look) }
        if let next { sleep(until: next) }
        // Each but the last in a task of its own: a task that is resumed may run on an executor
        // of the user's, and its `enqueue` may block.
        for expire in due.dropLast() { Task.detached { expire() } }
        due.last?()
    }
}
