// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The time limit of one wait in a task.
struct WaitTimer: Sendable {
    private let task: Task<Void, Never>

    /// Starts the timer.
    ///
    /// - Parameters:
    ///   - limit: the time from now.
    ///   - fire: called in a task of the timer's own; must not block.
    init(after limit: Duration, _ fire: @escaping @Sendable () -> Void) {
        task = Task.detached {
            if (try? await Task.sleep(for: max(.zero, limit).withinACentury)) != nil { fire() }
        }
    }

    func cancel() { task.cancel() }
}
