// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import SwitchyardCore

/// What one thread gives to another, which takes all there is at once: one thing at a time when they
/// come slowly, and many when they come fast.
///
/// Who gives waits while too much is there, so that memory stays bounded.
final class Handover<Batch: ~Copyable>: @unchecked Sendable {
    // Sendable: a batch is touched by one thread only, under the lock by who gives, and then by who
    // has taken it.

    private struct State: ~Copyable {
        var batch: Batch
        /// How many bytes `batch` stands for.
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
    ///   - empty: a batch without anything in it.
    ///   - limit: how many bytes may be there before who gives has to wait.
    init(_ empty: consuming sending Batch, limit: Int) {
        self.limit = limit
        state = Guarded(State(batch: empty))
    }

    /// Puts something into the batch, unless the end has come. One thread gives.
    ///
    /// - Parameter put: puts it there, and says how many bytes it takes.
    /// - Returns: Whether it was put there.
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

    /// Waits for something, and takes all there is. One thread takes.
    ///
    /// - Parameter batch: an empty one, in whose place is put what there is.
    /// - Returns: False at the end.
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

    /// Ends it: nothing is given any more, and what is there can still be taken. From any thread.
    func end() {
        let state = self.state.acquire()
        state.pointee.isEnded = true
        let wakesTaker = state.pointee.takerWaits
        state.pointee.takerWaits = false
        release(state)
        if wakesTaker { given.signal() }
    }

    /// Releases the lock, and who waits to give.
    private func release(_ state: UnsafeMutablePointer<State>) {
        let wakesGiver = state.pointee.giverWaits
        state.pointee.giverWaits = false
        self.state.release()
        if wakesGiver { taken.signal() }
    }
}
