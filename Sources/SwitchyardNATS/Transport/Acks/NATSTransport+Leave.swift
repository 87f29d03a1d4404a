// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Leaving: the last posts, at the end of a transport or of the process.
extension NATSTransport {
    /// Waits until the stream has acknowledged or refused everything posted, at most until `end`.
    /// Then reports as lost the posts without an acknowledgement, and those that still wait for a
    /// connection. Blocks. The center's end and the process's exit may both call this at once: one
    /// of the calls reports.
    func leaveStream(by end: ContinuousClock.Instant) {
        var nextCheck = ContinuousClock.now + .seconds(1)
        while isUnsettled, session != nil, ContinuousClock.now < end {
            if ContinuousClock.now >= nextCheck {
                checkStream(publishQueue.withLock { $0.published })
                nextCheck = ContinuousClock.now + .seconds(1)
            }
            usleep(1_000)
        }
        guard let (first, held) = publishQueue.withLock({ $0.leave() }) else { return }
        streamAcks.withLock {
            $0.giveUp(
                before: first,
                "this process ended before the stream answered; it may have kept them")
        }
        reportLosses()
        if held == 0 { return }
        intake?.report(
            DistributedLoss(
                peer: server, direction: .outgoing, count: UInt64(held),
                reason:
                    "they waited for a connection to NATS, and this process left before there was "
                    + "one"))
    }

    /// Whether some posts have not been acknowledged yet.
    private var isUnsettled: Bool { !isSettled(upTo: publishQueue.withLock { $0.firstNumber } - 1) }
}
#endif
