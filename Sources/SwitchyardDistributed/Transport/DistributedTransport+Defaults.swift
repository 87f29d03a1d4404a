// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

extension DistributedTransport {
    /// Stops the transport.
    ///
    /// - Parameter flushing: Ignored.
    /// - Returns: No losses.
    @discardableResult
    public func close(flushing: Bool) -> [DistributedLoss] {
        stop()
        return []
    }

    /// Does nothing: notifications are taken until the end.
    public func beginLeaving() {}

    /// Blocks the calling thread on ``waitUntilReady(within:)``.
    public func blockUntilReady(within limit: Duration) -> [DistributedPeer] {
        blockOnTask { await $0.waitUntilReady(within: limit) }
    }

    /// Blocks the calling thread on ``waitUntilFlushed(within:)``.
    public func blockUntilFlushed(within limit: Duration) -> [DistributedPeer] {
        blockOnTask { await $0.waitUntilFlushed(within: limit) }
    }

    /// True: the process that made the transport uses it.
    public var isConnected: Bool { true }

    /// False: a server may stand between the processes.
    public var tracksDelivery: Bool { false }

    /// False: notifications are carried without the time of their post.
    public var sharesLatestValues: Bool { false }

    /// False: requests stay in their process.
    public var carriesRequests: Bool { false }

    /// False: groups are each process's own.
    public var sharesGroups: Bool { false }

    /// Sends a request, and finds the processes that observe it among ``peers``.
    public func ask(_ notification: OutgoingNotification) throws -> DistributedAskResult {
        let interest = DistributedInterest(name: notification.name, object: notification.object)
        // Both before and after, so that nobody is waited for who has not got the request.
        let before = Set(hearers(of: interest))
        let result = try send(notification)
        if result.sent == 0 { return DistributedAskResult(dropped: result.dropped) }
        return DistributedAskResult(asked: hearers(of: interest).filter(before.contains))
    }

    private func hearers(of interest: DistributedInterest) -> [DistributedPeer] {
        peers.filter { $0.interests?.contains(interest) ?? false }.map(\.peer)
    }

    /// False: peers become known as they answer.
    public var knowsPeers: Bool { false }

    private func blockOnTask(
        _ wait: @escaping @Sendable (Self) async -> [DistributedPeer]
    ) -> [DistributedPeer] {
        let result = WaitResult()
        let done = DispatchSemaphore(value: 0)
        Task.detached { [self] in
            let missing = await wait(self)
            _ = result.peers.exchange(missing)
            done.signal()
        }
        done.wait()
        return result.peers.withLock { $0 }
    }
}

/// The peers that a wait on another thread has missed.
private final class WaitResult: Sendable {
    let peers = Guarded<[DistributedPeer]>([])
}
