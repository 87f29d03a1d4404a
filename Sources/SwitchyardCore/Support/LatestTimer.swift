// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The task of the timer that was started last, for a cancellation.
///
/// A timer is started when the one before it has ended, or is about to. Their starters may be two
/// threads, the later of which comes here first: the timers are numbered under the lock under which
/// their start is decided, so that the dead one does not take the place of the live one.
struct LatestTimer: Sendable {
    private var task: Task<Void, Never>?
    private var number: UInt64 = 0

    /// Keeps the task of a timer, unless that of a later one is kept.
    mutating func keep(_ task: Task<Void, Never>, _ number: UInt64) {
        guard number > self.number else { return }
        self.task = task
        self.number = number
    }

    /// Takes out the task.
    mutating func take() -> Task<Void, Never>? { task.take() }
}
