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
        let end = ContinuousClock.now + limit.withinACentury
        return await Self.blocking { [self] isCancelled in
            guard waitUntilThrough(by: end, isCancelled) else { return [server] }
            return isKept(by: end, isCancelled) ? [] : [streamPeer]
        }
    }

    /// Returns whether, within `limit`, the server has taken everything published and sent
    /// everything it had for this process.
    func isThrough(within limit: Duration) async -> Bool {
        if isForked { return false }
        let end = ContinuousClock.now + limit.withinACentury
        return await Self.blocking { [self] in waitUntilThrough(by: end, $0) }
    }

    /// Runs `body`, which blocks, on a thread of its own.
    ///
    /// - Parameter body: the code to run; its argument says whether the task was cancelled.
    private static func blocking<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Result
    ) async -> Result {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThread.run("sw-nats-flush") {
                    continuation.resume(returning: body { cancellation.hasCome })
                }
            }
        } onCancel: {
            cancellation.come()
        }
    }

    /// The cancellation of a task, as a thread can ask for it.
    private final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)

        var hasCome: Bool { flag.load(ordering: .relaxed) }

        func come() { flag.store(true, ordering: .relaxed) }
    }

    private func waitUntilThrough(
        by end: ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) -> Bool {
        let start = ContinuousClock.now
        while true {
            let rest = end - ContinuousClock.now
            // Grows, because each wait is for the answer to a question of its own, behind
            // everything that waits. A cancelled task waits at most once more as long as it has.
            let wait = max(250, (ContinuousClock.now - start).milliseconds)
            // Uses the queue's session: it exists only once the held posts have been published on
            // it.
            let (session, last) = publishQueue.withLock { ($0.session, $0.published) }
            if let session, session.flush(within: max(1, min(rest.milliseconds, wait))) {
                publishQueue.withLock { $0.settle(upTo: last) }
                settleRefusals(session)
                return true
            }
            if rest <= .zero || hasStopped.load(ordering: .relaxed) || isCancelled() {
                return false
            }
            // The connection is missing, or has just broken.
            usleep(2_000)
        }
    }
}
#endif
