// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// Waiting for acknowledgements, and checks of whether they still come.
extension NATSTransport {
    /// The milliseconds between two checks of whether acknowledgements still come.
    private static var checkInterval: Int { 5_000 }

    /// Whether no acknowledgements come any more of posts up to `last`: they have come, or a server
    /// refused the posts.
    func isSettled(upTo last: UInt64) -> Bool {
        let (next, answered) = streamAcks.withLock { ($0.next, $0.answered) }
        guard let next, next <= last else { return true }
        // Read last, so that all posts that `answered` counts are among these.
        let first = publishQueue.withLock { $0.firstNumber }
        return first > next && first - next <= answered
    }

    /// Waits until the stream has acknowledged or refused everything posted. Blocks.
    ///
    /// - Returns: Whether the stream has kept everything since the last call.
    func isKept(by end: ContinuousClock.Instant, _ isCancelled: () -> Bool) -> Bool {
        let last = publishQueue.withLock { $0.published }
        var nextCheck = ContinuousClock.now + .seconds(1)
        while !isSettled(upTo: last) {
            let now = ContinuousClock.now
            if now >= end || hasStopped.load(ordering: .relaxed) || isCancelled() {
                reportUnkept()
                _ = streamAcks.withLock { $0.settleFlush() }
                return false
            }
            if now >= nextCheck {
                checkStream(last)
                nextCheck = ContinuousClock.now + .seconds(1)
            }
            usleep(1_000)
        }
        reportUnkept()
        return streamAcks.withLock { $0.settleFlush() }
    }

    // MARK: - Checks

    /// Checks now and then whether acknowledgements come, also while nobody waits for them.
    func checkAcksLater() {
        let later = DispatchTime.now() + .milliseconds(Self.checkInterval)
        DispatchQueue.global().asyncAfter(deadline: later) { [weak self] in self?.checkAcks() }
    }

    /// Checks the stream if no acknowledgement has come since the last check.
    private func checkAcks() {
        if hasStopped.load(ordering: .relaxed) { return }
        let last = publishQueue.withLock { $0.published }
        let isOpen = !isSettled(upTo: last)
        let (isThere, isSame) = streamAcks.withLock { acks in
            defer { acks.lastCheck = acks.next }
            acks.isChecked = acks.next != nil
            return (acks.isChecked, acks.next == acks.lastCheck)
        }
        if isThere, isOpen, isSame {
            BlockingThread.run("sw-nats-stream") { [self] in checkStream(last) }
        }
        if isThere { checkAcksLater() }
    }
}
#endif
