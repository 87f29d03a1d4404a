// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// A number, and tasks that wait until it reaches a goal.
final class Tally: Sendable {
    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct Waiter {
        let id: UInt64
        let goal: Int
        let continuation: Continuation
    }

    private struct State {
        var count = 0
        /// The waiting tasks, in the order in which they began to wait.
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

    var count: Int { state.withLock(\.count) }

    /// Adds `amount`, which may be negative. Resumes the tasks whose goal is reached.
    func add(_ amount: Int) {
        let reached = state.withLock { state -> [Continuation] in
            state.count += amount
            let count = state.count
            let reached = state.waiters.filter { $0.goal <= count }
            state.waiters.removeAll { $0.goal <= count }
            return reached.map(\.continuation)
        }
        for continuation in reached { continuation.resume(returning: true) }
    }

    /// Waits until the number is at least `goal`. Returns false when the task is cancelled before.
    func wait(for goal: Int) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Continuation) in
                let outcome = state.withLock { state -> Bool? in
                    if state.count >= goal { return true }
                    // Checked under the lock, so that a later cancellation finds the waiter in the
                    // list.
                    if Task.isCancelled { return false }
                    state.waiters.append(Waiter(id: id, goal: goal, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            removeWaiter(id)?.resume(returning: false)
        }
    }

    private func removeWaiter(_ id: UInt64) -> Continuation? {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
    }
}

extension Tally {
    /// Waits until the number is at least `goal`, or `limit` has passed on `clock`. Leaves no task
    /// behind.
    ///
    /// - Returns: Whether the number reached `goal`.
    /// - Throws: `CancellationError` when the task is cancelled before; the error of the clock.
    func wait(
        for goal: Int, within limit: Duration, on clock: any Clock<Duration>
    ) async throws -> Bool {
        if count >= goal { return true }
        let isReached = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait(for: goal) }
            group.addTask {
                try await clock.sleep(for: limit.asTimeLimit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        // The number may have reached the goal at the very moment at which the time ended.
        if isReached || count >= goal { return true }
        try Task.checkCancellation()
        return false
    }
}

extension Duration {
    /// The duration, limited to the range from zero to a century. Any clock can add it to the
    /// present; a larger sum would stop the program.
    fileprivate var asTimeLimit: Duration { max(.zero, min(self, .seconds(3_155_760_000))) }
}
