// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Leaving: the last posts, at the end of a transport or of the process.
extension NATSTransport {
    /// Says to other processes that this one leaves, behind everything posted, and waits until the
    /// server has taken that, at most until `end`. Does not wait for a connection, but for posts
    /// that are about to be sent on the connection that there is. Blocks.
    ///
    /// - Returns: Whether the server has taken everything.
    func sendLastPosts(by end: ContinuousClock.Instant) -> Bool {
        while isSendingHeld, ContinuousClock.now < end { usleep(1_000) }
        sayGoodbye()
        let (isHeld, last) = publishQueue.withLock { ($0.heldBytes > 0, $0.published) }
        let rest = max(1, (end - .now).milliseconds)
        guard !isHeld, let session, session.flush(within: rest) else { return false }
        publishQueue.withLock { $0.settle(upTo: last) }
        return true
    }

    /// Whether posts wait that the thread which has connected is about to send.
    private var isSendingHeld: Bool {
        guard let session else { return false }
        return publishQueue.withLock { $0.heldBytes > 0 && $0.session !== session }
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
        if let left = publishQueue.withLock({ $0.leave() }) { giveUp(left, isThrough: isThrough) }
    }

    /// Gives up the posts that wait for a connection, unless one has come just now, and those
    /// without an acknowledgement.
    ///
    /// - Returns: The losses, which have been reported.
    func giveUpUnconnected() -> [DistributedLoss] {
        let left = publishQueue.withLock { $0.session == nil ? $0.leave() : nil }
        return left.map { giveUp($0, isThrough: false) } ?? []
    }

    /// Reports as lost the posts that this process gives up, and those without an acknowledgement.
    ///
    /// - Returns: The losses.
    @discardableResult
    private func giveUp(_ left: PublishQueue.Left, isThrough: Bool) -> [DistributedLoss] {
        let knewStream = knowsStream
        streamAcks.withLock {
            $0.giveUp(
                before: left.first,
                "this process ended before the stream answered; it may have kept them")
        }
        let unkept = reportLosses()
        var losses: [DistributedLoss] = []
        if left.held > 0 {
            let reason =
                "they waited for a connection to NATS, and this process left before there was one"
            losses.append(
                DistributedLoss(
                    peer: server, direction: .outgoing, count: UInt64(left.held), reason: reason))
        }
        // With a stream, each of them has been counted.
        let mayLack = left.hasUntoldBreak || left.mayLackPublished && !isThrough
        if mayLack, !knewStream {
            let reason =
                "this process left before the server had taken the last posts; it may have taken "
                + "some of them"
            losses.append(
                DistributedLoss(peer: server, direction: .outgoing, count: 0, reason: reason))
        }
        for loss in losses { intake?.report(loss) }
        return losses + (unkept.map { [$0] } ?? [])
    }

    private func awaitAcks(by end: ContinuousClock.Instant) {
        // Nobody asks for the stream: this process hears no answers to its questions any more.
        while isUnsettled, session != nil, ContinuousClock.now < end { NATSExit.pause() }
    }

    /// Reads and writes for a millisecond, on the connection's thread.
    ///
    /// - Returns: False on any other thread, at once.
    func serves() -> Bool {
        !isForked && connection.withLock { $0 }?.serve(milliseconds: 1) == true
    }

    /// Whether some posts have not been acknowledged yet.
    private var isUnsettled: Bool { !isSettled(upTo: publishQueue.withLock { $0.firstNumber } - 1) }
}
#endif
