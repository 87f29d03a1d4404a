// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
public import SwitchyardDistributed

// Waiting until the other processes know the observers here.
extension NATSTransport {
    /// Waits until all servers with connected peers know the observers here. Such a server sends a
    /// peer's answer only after it has been told of this process's subscriptions.
    ///
    /// - Returns: The peers that have not answered in time; the server, if it has not.
    public func waitUntilReady(within limit: Duration) async -> [DistributedPeer] {
        let end = ContinuousClock.now + limit.withinACentury
        return await BlockingWait.run { [self] in unready(by: end, $0) }
    }

    /// Waits like ``waitUntilReady(within:)``, and blocks the calling thread.
    public func blockUntilReady(within limit: Duration) -> [DistributedPeer] {
        unready(by: .now + limit.withinACentury, BlockingWait())
    }

    private func unready(
        by end: ContinuousClock.Instant, _ wait: BlockingWait
    ) -> [DistributedPeer] {
        // A child has no connection, nor its parent's locks.
        if isForked { return [server] }
        updateSubscriptions()
        let start = ContinuousClock.now
        guard waitUntilThrough(by: end, wait), refusedInterests.isEmpty else { return [server] }
        let moment = (ContinuousClock.now - start) * 4 + .milliseconds(100)
        gatherPeers(moment, by: end, wait)
        let silent = silentPeers(by: end, wait)
        // From here on, posts are acknowledged if there is a stream to keep them.
        settleStream(by: end, wait)
        return silent.sorted { $0.id < $1.id }
    }

    /// Asks all processes to announce themselves. Their number is unknown, so the list counts as
    /// complete when no new process has answered for `moment`.
    private func gatherPeers(
        _ moment: Duration, by end: ContinuousClock.Instant, _ wait: BlockingWait
    ) {
        var count = peerTable.withLock { $0.known.count }
        greetPeers()
        while !wait.isCancelled, ContinuousClock.now < end {
            _ = wait.pause(until: min(.now + moment, end))
            let now = peerTable.withLock { $0.known.count }
            if now <= count { return }
            count = now
        }
    }

    /// Asks each known process for an answer, all at once.
    ///
    /// - Returns: The processes that have neither answered nor gone.
    private func silentPeers(
        by end: ContinuousClock.Instant, _ wait: BlockingWait
    ) -> [DistributedPeer] {
        let known = peerTable.withLock { $0.known.values.map(\.peer) }
        let silent = SilentPeers(known)
        let questions = known.map { peer in
            ask(peer.id) { [weak self] announcement in
                if announcement == nil { self?.noteGone(peer.id) }
                if silent.remove(peer.id) { wait.wake() }
            }
        }
        // Those that know nothing of each other answer within a moment, even if the time is up.
        let end = max(end, .now + .milliseconds(1))
        while !silent.isEmpty, !wait.isCancelled, wait.pause(until: end) {}
        for question in questions { endQuestion(question) }
        return silent.peers
    }
}

/// The processes that have not answered a question yet.
private final class SilentPeers: Sendable {
    private let byID: Guarded<[String: DistributedPeer]>

    init(_ peers: [DistributedPeer]) {
        byID = Guarded(Dictionary(peers.map { ($0.id, $0) }) { first, _ in first })
    }

    var isEmpty: Bool { byID.withLock(\.isEmpty) }

    var peers: [DistributedPeer] { byID.withLock { Array($0.values) } }

    /// Removes a process.
    ///
    /// - Returns: Whether none is left.
    func remove(_ id: String) -> Bool {
        byID.withLock { peers in
            peers[id] = nil
            return peers.isEmpty
        }
    }
}
#endif
