// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A wait until the mesh has reached a ``Goal``.
final class MeshWaiter: Sendable {
    enum Goal: Sendable {
        /// Every peer has answered the SYNC of this number.
        case synced(UInt64)
        /// Nothing waits to be written.
        case flushed
        /// Nothing waits to be written, and each peer whose connection broke has said how much it
        /// heard on it.
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

extension MeshState {
    /// Removes and returns the waiters whose goal is reached.
    mutating func takeDoneWaiters() -> [MeshWaiter] {
        if waiters.isEmpty { return [] }
        let done = waiters.filter { missing(for: $0.goal).isEmpty }
        waiters.removeAll { waiter in done.contains { $0 === waiter } }
        return done
    }

    /// Returns the peers for which a goal is not reached yet.
    func missing(for goal: MeshWaiter.Goal) -> [DistributedPeer] {
        switch goal {
        case .flushed:
            return outlets.values.filter { $0.queue.count > 0 }.map(\.knownPeer)
                + backlogs.filter { $0.value.isAwaited && $0.value.frames.count > 0 }
                .map { $0.value.knownPeer(at: $0.key) }
        case .settled:
            return missing(for: .flushed)
                + backlogs.filter { $0.value.isAwaited && $0.value.isAskedForHeard }
                .map { $0.value.knownPeer(at: $0.key) }
        case .synced(let number):
            let greeted = inlets.values.filter(\.isGreeted)
            // Sets, because this runs at each answer, and there may be a thousand peers.
            let known = Set(greeted.compactMap(\.peer?.id))
            let connected = Set(outlets.keys)
            return greeted.filter { $0.synced < number }.map(\.knownPeer)
                + outlets.values.filter { $0.mayPost && !known.contains($0.address) }
                .map(\.knownPeer)
                // Members that live, as far as is known, and could not be connected to yet.
                + backlogs.filter { address, backlog in
                    backlog.isAwaited && !connected.contains(address) && !known.contains(address)
                }
                .map { $0.value.knownPeer(at: $0.key) }
        }
    }
}

extension PeerBacklog {
    /// Returns the peer, or what its address tells of it.
    func knownPeer(at address: String) -> DistributedPeer {
        peer ?? DistributedPeer(id: address, processIdentifier: 0, processName: "?")
    }
}

extension MeshConnection {
    /// The peer, or what the connection tells of it.
    var knownPeer: DistributedPeer {
        peer
            ?? DistributedPeer(
                id: (self as? Outlet)?.address ?? "", processIdentifier: process, processName: "?")
    }
}
