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
        if isForked { return [server] }
        return await withCheckedContinuation { continuation in
            BlockingThread.run("sw-nats-flush") { [self] in
                let end = ContinuousClock.now + limit.withinACentury
                guard waitUntilThrough(within: limit) else {
                    return continuation.resume(returning: [server])
                }
                continuation.resume(returning: isKept(by: end) ? [] : [streamPeer])
            }
        }
    }

    /// Returns whether, within `limit`, the server has taken everything published and sent
    /// everything it had for this process.
    func isThrough(within limit: Duration) async -> Bool {
        if isForked { return false }
        return await withCheckedContinuation { continuation in
            BlockingThread.run("sw-nats-flush") { [self] in
                continuation.resume(returning: waitUntilThrough(within: limit))
            }
        }
    }

    private func waitUntilThrough(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit.withinACentury
        while true {
            let rest = end - ContinuousClock.now
            // Uses the queue's session: it exists only once the held posts have been published on
            // it.
            if let session = publishQueue.withLock({ $0.session }),
                session.flush(within: max(1, rest.milliseconds))
            {
                settleRefusals(session)
                return true
            }
            if rest <= .zero || hasStopped.load(ordering: .relaxed) { return false }
            // The connection is missing, or has just broken.
            usleep(2_000)
        }
    }
}
#endif
