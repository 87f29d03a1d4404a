// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

// Waiting for peers: what must not be lost is known to have arrived when they have answered.
extension Mesh {
    func ready(within limit: Duration) async -> [DistributedPeer] {
        if isForkedReported { return [] }
        return await wait(for: beginSync(), within: limit)
    }

    func flush(within limit: Duration) async -> [DistributedPeer] {
        if isForkedReported { return [] }
        return await wait(for: add(MeshWaiter(.flushed)), within: limit)
    }

    /// As ``ready(within:)``, on a thread that may block.
    func blockingReady(within limit: Duration) -> [DistributedPeer] {
        isForkedReported ? [] : block(on: beginSync(), within: limit)
    }

    /// As ``flush(within:)``, on a thread that may block.
    func blockingFlush(within limit: Duration) -> [DistributedPeer] {
        block(on: add(MeshWaiter(.flushed)), within: limit)
    }

    private func beginSync() -> MeshWaiter {
        intake?.reportUnheard()
        let number = state.withLock { state in
            if let intake { tellInterest(of: intake, &state) }
            state.lastSync += 1
            var frame = ByteWriter()
            frame.frame(.sync, state.lastSync)
            for inlet in state.inlets.values where inlet.isGreeted {
                frame.withBytes { write($0, to: inlet, &state) }
            }
            return state.lastSync
        }
        return add(MeshWaiter(.synced(number)))
    }

    private func add(_ waiter: MeshWaiter) -> MeshWaiter {
        let isDone = state.withLock { state in
            if state.isStopped || state.missing(for: waiter.goal).isEmpty { return true }
            state.waiters.append(waiter)
            return false
        }
        if isDone { waiter.finish([]) }
        return waiter
    }

    private func wait(for waiter: MeshWaiter, within limit: Duration) async -> [DistributedPeer] {
        let clock = Task {
            try await Task.sleep(for: limit)
            giveUp(waiter)
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.onFinish { continuation.resume(returning: $0) }
            }
        } onCancel: {
            giveUp(waiter)
        }
    }

    private func block(on waiter: MeshWaiter, within limit: Duration) -> [DistributedPeer] {
        let done = DispatchSemaphore(value: 0)
        waiter.onFinish { _ in done.signal() }
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        if done.wait(timeout: .now() + seconds) == .success { return [] }
        return giveUp(waiter)
    }

    /// Ends a wait that has taken too long.
    @discardableResult
    private func giveUp(_ waiter: MeshWaiter) -> [DistributedPeer] {
        let missing = state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            return state.missing(for: waiter.goal)
        }
        waiter.finish(missing)
        return missing
    }
}
