// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The tasks that wait for the end of a thread.
final class EndWaiters: Sendable {
    private struct State: Sendable {
        var hasEnded = false
        var lastNumber: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Guarded(State())

    /// Waits for the end, or until the calling task is cancelled.
    ///
    /// - Returns: Whether the thread has ended.
    func wait() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A task that is cancelled before this finds that here, and later ones are found
                // by their number.
                let isOver: Bool? = state.withLock { state in
                    if state.hasEnded { return true }
                    if Task.isCancelled { return false }
                    state.waiting[number] = continuation
                    return nil
                }
                if let isOver { continuation.resume(returning: isOver) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    /// Waits for the end for no longer than `limit`, or until the calling task is cancelled.
    func wait(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait() }
            group.addTask {
                try? await Task.sleep(for: limit.withinACentury)
                return false
            }
            defer { group.cancelAll() }
            let isFirst = await group.next() ?? false
            // A limit that has passed may come first for a thread that has ended long ago.
            return isFirst || self.state.withLock(\.hasEnded)
        }
    }

    /// Has all tasks go on, and later ones not wait.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: true) }
    }
}
