// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A wait until the mesh has reached a ``Goal``.
final class MeshWaiter: Sendable {
    enum Goal: Sendable {
        /// Every peer has answered the SYNC of this number.
        case synced(UInt64)
        /// All queues are empty.
        case flushed
        /// All queues are empty, and each peer whose connection broke has said how much it heard
        /// on it.
        case settled
    }

    private enum State: Sendable {
        case waiting
        case observed(@Sendable ([DistributedPeer]) -> Void)
        case finished([DistributedPeer])
    }

    let goal: Goal
    // The callback is called without the lock.
    private let state = Guarded(State.waiting)

    init(_ goal: Goal) { self.goal = goal }

    /// Ends the wait. Only the first call has an effect.
    ///
    /// - Parameter missing: The peers for which the goal was not reached.
    func finish(_ missing: [DistributedPeer]) {
        let callback = state.withLock { state -> (@Sendable ([DistributedPeer]) -> Void)? in
            switch state {
            case .waiting:
                state = .finished(missing)
                return nil
            case .observed(let callback):
                state = .finished(missing)
                return callback
            case .finished:
                return nil
            }
        }
        callback?(missing)
    }

    /// Calls `callback` when the wait ends; at once if it has ended.
    func onFinish(_ callback: @escaping @Sendable ([DistributedPeer]) -> Void) {
        let missing = state.withLock { state -> [DistributedPeer]? in
            if case .finished(let missing) = state { return missing }
            state = .observed(callback)
            return nil
        }
        if let missing { callback(missing) }
    }
}
