// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import SwitchyardCore

/// A buffer between a giving thread and a taking thread. The taker takes everything there is at
/// once: single items when they come slowly, many when they come fast.
///
/// The giver waits while too much is in the buffer, so that memory stays bounded.
final class BatchChannel<Batch: ~Copyable>: @unchecked Sendable {
    // Sendable: one thread at a time uses a batch: the giver under the lock, then the taker that
    // has taken it.

    private struct State: ~Copyable {
        var batch: Batch
        /// The number of bytes for which `batch` counts.
        var size = 0
        var isEnded = false
        var takerWaits = false
        var giverWaits = false
    }

    private let state: Guarded<State>
    private let limit: Int
    private let given = DispatchSemaphore(value: 0)
    private let taken = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - empty: a batch without content.
    ///   - limit: the number of bytes beyond which the giver has to wait.
    init(_ empty: consuming sending Batch, limit: Int) {
        self.limit = limit
        state = Guarded(State(batch: empty))
    }

    /// Adds something to the batch, unless the buffer has ended. Only one thread gives.
    ///
    /// - Parameter put: adds to the batch, and returns the number of bytes added.
    /// - Returns: Whether it was added.
    func give(_ put: (inout Batch) -> Int) -> Bool {
        let state = self.state.acquire()
        if state.pointee.isEnded {
            self.state.release()
            return false
        }
        state.pointee.size += put(&state.pointee.batch)
        let wakesTaker = state.pointee.takerWaits
        state.pointee.takerWaits = false
        let waits = state.pointee.size > limit
        state.pointee.giverWaits = waits
        self.state.release()
        if wakesTaker { given.signal() }
        if waits { taken.wait() }
        return true
    }

    /// Waits until the batch has content, and takes it. Only one thread takes.
    ///
    /// - Parameter batch: an empty batch, which is exchanged for the one with the content.
    /// - Returns: Whether something was taken; false at the end.
    func take(_ batch: inout Batch) -> Bool {
        while true {
            let state = self.state.acquire()
            if state.pointee.size > 0 {
                swap(&batch, &state.pointee.batch)
                state.pointee.size = 0
                release(state)
                return true
            }
            let isEnded = state.pointee.isEnded
            state.pointee.takerWaits = !isEnded
            self.state.release()
            if isEnded { return false }
            given.wait()
        }
    }

    /// Ends the buffer: nothing more can be added, and the content can still be taken. Callable
    /// from any thread.
    func end() {
        let state = self.state.acquire()
        state.pointee.isEnded = true
        let wakesTaker = state.pointee.takerWaits
        state.pointee.takerWaits = false
        release(state)
        if wakesTaker { given.signal() }
    }

    /// Releases the lock, and wakes a waiting giver.
    private func release(_ state: UnsafeMutablePointer<State>) {
        let wakesGiver = state.pointee.giverWaits
        state.pointee.giverWaits = false
        self.state.release()
        if wakesGiver { taken.signal() }
    }
}
