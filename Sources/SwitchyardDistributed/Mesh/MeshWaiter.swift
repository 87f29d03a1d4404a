// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// Somebody who waits until the mesh has come somewhere.
final class MeshWaiter: Sendable {
    enum Goal: Sendable {
        /// Every peer has answered the sync of this number.
        case synced(UInt64)
        /// Nothing waits to be written.
        case flushed
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

    /// Ends the wait, once.
    ///
    /// - Parameter missing: the peers that had not come so far.
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

    /// Has `callback` called when the wait ends, or now if it has.
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
    /// Takes out the waiters whose goal is reached.
    mutating func takeDoneWaiters() -> [MeshWaiter] {
        if waiters.isEmpty { return [] }
        let done = waiters.filter { missing(for: $0.goal).isEmpty }
        waiters.removeAll { waiter in done.contains { $0 === waiter } }
        return done
    }

    /// The peers for which a goal is not reached yet.
    func missing(for goal: MeshWaiter.Goal) -> [DistributedPeer] {
        switch goal {
        case .flushed:
            return outlets.values.filter { $0.queue.count > 0 }.map(\.knownPeer)
                + backlogs.filter { $0.value.isAwaited && $0.value.frames.count > 0 }
                .map { $0.value.knownPeer(at: $0.key) }
        case .synced(let number):
            let greeted = inlets.values.filter(\.isGreeted)
            // Sets, because this is asked with each answer, and there may be a thousand peers.
            let known = Set(greeted.compactMap(\.peer?.id))
            let connected = Set(outlets.keys)
            return greeted.filter { $0.synced < number }.map(\.knownPeer)
                + outlets.values.filter { $0.mayPost && !known.contains($0.address) }
                .map(\.knownPeer)
                // They live, as far as is known, and could not be connected to yet.
                + backlogs.filter { address, backlog in
                    backlog.isAwaited && !connected.contains(address) && !known.contains(address)
                }
                .map { $0.value.knownPeer(at: $0.key) }
        }
    }
}

extension PeerBacklog {
    /// Who it is, as far as that is known.
    func knownPeer(at address: String) -> DistributedPeer {
        peer ?? DistributedPeer(id: address, processIdentifier: 0, processName: "?")
    }
}

extension MeshConnection {
    /// Who it is, as far as that is known.
    var knownPeer: DistributedPeer {
        peer
            ?? DistributedPeer(
                id: (self as? Outlet)?.address ?? "", processIdentifier: process, processName: "?")
    }
}
