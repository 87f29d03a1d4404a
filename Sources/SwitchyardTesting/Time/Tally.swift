// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// A number that tasks wait for.
final class Tally: Sendable {
    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct Waiter {
        let id: UInt64
        let goal: Int
        let continuation: Continuation
    }

    private struct State {
        var count = 0
        /// In the order in which they came.
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

    var count: Int { state.withLock(\.count) }

    /// Counts up, or down. Those whose goal is reached go on.
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

    /// Waits until the number is `goal` at least; false when the task is cancelled before.
    func wait(for goal: Int) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Continuation) in
                let outcome = state.withLock { state -> Bool? in
                    if state.count >= goal { return true }
                    // Asked under the lock: a cancellation that comes later finds the waiter.
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
    /// Waits until the number is `goal` at least, or `limit` has passed on `clock`. Leaves no task
    /// behind.
    ///
    /// - Returns: Whether it got there.
    /// - Throws: `CancellationError` when the task is cancelled before; what the clock throws.
    func wait(
        for goal: Int, within limit: Duration, on clock: any Clock<Duration>
    ) async throws -> Bool {
        if count >= goal { return true }
        let isReached = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait(for: goal) }
            group.addTask {
                try await clock.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        // It may have got there in the very moment in which the time ended.
        if isReached || count >= goal { return true }
        try Task.checkCancellation()
        return false
    }
}
