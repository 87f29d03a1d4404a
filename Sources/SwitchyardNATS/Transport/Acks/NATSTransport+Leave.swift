// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Leaving: the last posts, at the end of a transport or of the process.
extension NATSTransport {
    /// Waits until the server has taken everything posted, at most until `end`. Does not wait for a
    /// connection, but for posts that wait on the connection that there is. Blocks.
    ///
    /// - Returns: Whether the server has taken everything.
    func flushLastPosts(by end: ContinuousClock.Instant) -> Bool {
        while let session {
            let (isHeld, last) = publishQueue.withLock {
                ($0.heldBytes > 0 && $0.session !== session, $0.published)
            }
            let rest = max(1, (end - .now).milliseconds)
            if !isHeld {
                guard session.flush(within: rest) else { return false }
                publishQueue.withLock { $0.settle(upTo: last) }
                return true
            }
            // The thread that connected is about to send them.
            if ContinuousClock.now >= end { return false }
            usleep(1_000)
        }
        return false
    }

    /// Waits until the stream has acknowledged or refused everything posted, for at most
    /// `patience`. Then reports as lost the posts without an acknowledgement, those that still wait
    /// for a connection, and, as a number that nobody knows, those that the server may not have
    /// taken. Blocks. The center's end and the process's exit may both call this at once: one of
    /// the calls reports.
    ///
    /// - Parameter isThrough: whether the server has taken everything posted; if not, the stream is
    ///   not waited for.
    func leaveStream(isThrough: Bool, within patience: Duration) {
        // Reports refusals of the last posts while there is still an intake to report them to.
        if isThrough, let session { settleRefusals(session) }
        reportRefusedPosts()
        if isThrough { awaitAcks(by: .now + patience) }
        giveUpTheRest(isThrough: isThrough)
    }

    /// Gives up the posts that wait for a connection and those without an acknowledgement, and
    /// reports them as lost, once.
    ///
    /// - Returns: The losses of the posts that waited for a connection, or that the server may not
    ///   have taken.
    @discardableResult
    func giveUpTheRest(isThrough: Bool) -> [DistributedLoss] {
        let knewStream = knowsStream
        guard let left = publishQueue.withLock({ $0.leave() }) else { return [] }
        streamAcks.withLock {
            $0.giveUp(
                before: left.first,
                "this process ended before the stream answered; it may have kept them")
        }
        reportLosses()
        var losses: [DistributedLoss] = []
        if left.held > 0 {
            let reason =
                "they waited for a connection to NATS, and this process left before there was one"
            losses.append(
                DistributedLoss(
                    peer: server, direction: .outgoing, count: UInt64(left.held), reason: reason))
        }
        // With a stream, each of them has been counted.
        if left.mayLackPublished, !isThrough, !knewStream {
            let reason =
                "this process left before the server had taken the last posts; it may have taken "
                + "some of them"
            losses.append(
                DistributedLoss(peer: server, direction: .outgoing, count: 0, reason: reason))
        }
        for loss in losses { intake?.report(loss) }
        return losses
    }

    private func awaitAcks(by end: ContinuousClock.Instant) {
        var nextCheck = ContinuousClock.now + .seconds(1)
        while isUnsettled, session != nil, ContinuousClock.now < end {
            if ContinuousClock.now >= nextCheck {
                checkStream(publishQueue.withLock { $0.published })
                nextCheck = ContinuousClock.now + .seconds(1)
            }
            pauseWhileLeaving()
        }
    }

    /// Waits a millisecond. On the connection's thread, on which a handler has called `exit`, reads
    /// and writes meanwhile: no other thread does.
    func pauseWhileLeaving() { if !serves() { usleep(1_000) } }

    /// Reads and writes for a millisecond, on the connection's thread.
    ///
    /// - Returns: False on any other thread, at once.
    func serves() -> Bool {
        connection.withLock { $0 }?.serve(milliseconds: 1) == true
    }

    /// Whether some posts have not been acknowledged yet.
    private var isUnsettled: Bool { !isSettled(upTo: publishQueue.withLock { $0.firstNumber } - 1) }
}
#endif
