// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

// Waits until peers know the observers here, or until nothing posted here is left to be written.
extension Mesh {
    func waitUntilReady(within limit: Duration) async -> [DistributedPeer] {
        if isForkedReported { return [] }
        return await wait(for: beginSync(), within: limit).map(identifiedPeer)
    }

    func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] {
        if isForkedReported { return [] }
        return await wait(for: add(MeshWaiter(.flushed)), within: limit).map(identifiedPeer)
    }

    /// Blocks the calling thread until the peers are ready, where ``waitUntilReady(within:)``
    /// suspends a task.
    func blockUntilReady(within limit: Duration) -> [DistributedPeer] {
        isForkedReported ? [] : block(on: beginSync(), within: limit).map(identifiedPeer)
    }

    /// Blocks the calling thread until everything is written, where ``waitUntilFlushed(within:)``
    /// suspends a task.
    func blockUntilFlushed(within limit: Duration) -> [DistributedPeer] {
        if isForkedReported { return [] }
        return block(on: add(MeshWaiter(.flushed)), within: limit).map(identifiedPeer)
    }

    /// Waits until nothing waits to be written, and each peer whose connection broke has said how
    /// much it heard on it.
    func settle(within limit: Duration) async {
        _ = await wait(for: add(MeshWaiter(.settled)), within: limit)
    }

    /// Blocks the calling thread until the mesh has settled, where ``settle(within:)`` suspends a
    /// task.
    func blockUntilSettled(within limit: Duration) {
        _ = block(on: add(MeshWaiter(.settled)), within: limit)
    }

    /// Whether a call of ``settle(within:)`` would return at once.
    var hasSettled: Bool { state.withLock { $0.lastMissing(for: .settled) == nil } }

    private func beginSync() -> MeshWaiter {
        intake?.reportUnheard()
        let number = state.withLock { state in
            if let intake { tellInterest(of: intake, &state) }
            state.lastSync += 1
            var frame = ByteWriter()
            frame.frame(.sync, state.lastSync)
            for inlet in state.inlets.values where inlet.isGreeted && !inlet.isSuperseded {
                frame.withBytes { write($0, to: inlet, &state) }
            }
            return state.lastSync
        }
        return add(MeshWaiter(.synced(number)))
    }

    private func add(_ waiter: MeshWaiter) -> MeshWaiter {
        let isDone = state.withLock { state in
            guard !state.isStopped, let missing = state.lastMissing(for: waiter.goal) else {
                return true
            }
            state.waits.append(MeshState.Wait(waiter: waiter, missing: missing))
            return false
        }
        if isDone { waiter.finish([]) }
        return waiter
    }

    private func wait(for waiter: MeshWaiter, within limit: Duration) async -> [DistributedPeer] {
        let limit = WaitLimit(after: limit) { self.giveUp(waiter) }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.onFinish { continuation.resume(returning: $0) }
            }
        } onCancel: {
            giveUp(waiter)
        }
    }

    private func block(on waiter: MeshWaiter, within limit: Duration) -> [DistributedPeer] {
        // A dispatch semaphore's time limits follow the wall clock on Linux, so it is not used
        // here.
        let done = ThreadSignal()
        waiter.onFinish { _ in done.raise() }
        if done.wait(until: .now + limit.withinACentury) { return [] }
        return giveUp(waiter)
    }

    /// Ends a wait that has taken too long.
    ///
    /// - Returns: The peers for which the goal is not reached.
    @discardableResult
    private func giveUp(_ waiter: MeshWaiter) -> [DistributedPeer] {
        let missing = state.withLock { state in
            state.waits.removeAll { $0.waiter === waiter }
            return state.missing(for: waiter.goal)
        }
        waiter.finish(missing)
        return missing
    }
}
