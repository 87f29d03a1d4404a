// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
public import SwitchyardDistributed
internal import Synchronization

// Waiting until everything posted has left this process.
extension NATSTransport {
    /// Waits until the server has taken everything published, and until the stream for durable
    /// observers, if there is one, has acknowledged the posts that it keeps.
    ///
    /// - Returns: The server, if it has not taken everything in time; the stream, if it did not
    ///   keep everything published since the last flush.
    public func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] {
        let end = ContinuousClock.now + limit.withinACentury
        return await BlockingWait.run { [self] in unflushed(by: end, $0) }
    }

    /// Waits like ``waitUntilFlushed(within:)``, and blocks the calling thread.
    public func blockUntilFlushed(within limit: Duration) -> [DistributedPeer] {
        unflushed(by: .now + limit.withinACentury, BlockingWait())
    }

    private func unflushed(
        by end: ContinuousClock.Instant, _ wait: BlockingWait
    ) -> [DistributedPeer] {
        guard waitUntilThrough(by: end, wait) else { return [server] }
        return isKept(by: end) { wait.isCancelled } ? [] : [streamPeer]
    }

    /// Waits until the server has taken everything published and sent everything it had for this
    /// process. Blocks.
    ///
    /// - Returns: Whether it has; false in a forked child of the transport's process, which has no
    ///   connection.
    func waitUntilThrough(by end: ContinuousClock.Instant, _ wait: BlockingWait) -> Bool {
        if isForked { return false }
        let start = ContinuousClock.now
        while true {
            let rest = end - ContinuousClock.now
            // Grows, because each flush is an answer to a question of its own, behind everything
            // that waits. A cancelled task waits at most once more as long as it has.
            let patience = max(250, (ContinuousClock.now - start).milliseconds)
            // Uses the queue's session: it exists only once the held posts have been published on
            // it.
            let (session, last) = publishQueue.withLock { ($0.session, $0.published) }
            if let session, session.flush(within: max(1, min(rest.milliseconds, patience))) {
                publishQueue.withLock { $0.settle(upTo: last) }
                settleRefusals(session)
                return true
            }
            if rest <= .zero || hasStopped.load(ordering: .relaxed) || wait.isCancelled {
                return false
            }
            // The connection is missing, or has just broken.
            usleep(2_000)
        }
    }
}
#endif
