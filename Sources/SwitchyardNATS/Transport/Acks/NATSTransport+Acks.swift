// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// Acknowledgements of the stream that keeps posts for durable observers.
extension NATSTransport {
    /// The pattern of the subjects at which the stream acknowledges this process's posts.
    var ackPattern: String { "_SWY.\(ownPeer.id).*.*.*.*" }

    // MARK: - Subscribing

    /// Subscribes to the stream's acknowledgements of posts from now on. Does nothing if the
    /// session has the subscription already.
    func subscribeToAcks(_ session: NATSSession) {
        guard self.session === session,
            streamAcks.withLock(\.session) != session.token
        else { return }
        if mayNotSubscribeToAcks { return endAcks() }
        guard
            let subscription = try? CallbackSubscription(
                ackPattern, on: session, { [weak self] in self?.receiveAck($0) })
        else { return }
        // Read after subscribing, so that all posts from this number on are acknowledged.
        let number = publishQueue.withLock { $0.firstNumber }
        let (earlier, isUnchecked) = streamAcks.withLock { acks in
            defer {
                acks.begin(subscription, on: session.token, from: number)
                acks.isChecked = true
            }
            return (acks.subscription, !acks.isChecked)
        }
        withExtendedLifetime(earlier) {}
        // The server may have refused the subscription, or the session have ended, before
        // `acks.begin` was called.
        if mayNotSubscribeToAcks || self.session !== session { endAcks() }
        if isUnchecked { checkAcksLater() }
    }

    /// Whether the session's server has refused the subscription to acknowledgements.
    private var mayNotSubscribeToAcks: Bool {
        refusals.withLock { $0.subscriptions.cover(ackPattern) }
    }

    /// Ends waiting for acknowledgements.
    ///
    /// - Parameter isGone: whether there is no stream; if not, acknowledgements can't be heard.
    func endAcks(isGone: Bool = false) {
        let ended = streamAcks.withLock { $0.end(isGone: isGone) }
        withExtendedLifetime(ended) {}
    }

    /// Gives up acknowledgements that the broken connection did not deliver. Called on a new
    /// session, before anything is published.
    func giveUpAcks() {
        let first = publishQueue.withLock { $0.firstNumber }
        streamAcks.withLock {
            $0.giveUp(
                before: first,
                "the connection broke before the stream answered; it may have kept them")
        }
        reportUnkept()
    }

    // MARK: - Receiving

    /// Records an acknowledgement. Called on a thread of libnats.
    private func receiveAck(_ message: OpaquePointer) {
        guard let subject = natsMsg_GetSubject(message), let number = EventNumber(subject),
            number.process == id, wasSent(number.number)
        else { return }
        let event = IncomingEvent(message)
        let isNew: Bool
        if natsMsg_IsNoResponders(message) {
            isNew = streamAcks.withLock { acks in
                acks.mayBeGone = true
                return acks.receive(
                    number.number,
                    "no server took it for the stream, which is gone, or has no leader at the moment"
                )
            }
        } else {
            let refusal = Self.refusal(event.data)
            let sequence = refusal == nil ? Self.sequence(event.data) : nil
            isNew = streamAcks.withLock { acks in
                let hasLoss = acks.receive(number.number, refusal)
                return sequence.map { acks.note(sequence: $0) } == true || hasLoss
            }
        }
        if isNew { reportUnkeptLater() }
    }

    /// Whether a notification with that number was sent. Any client may publish acknowledgements.
    private func wasSent(_ number: UInt64) -> Bool {
        // Nearly always it is the next one, and the queue is not asked.
        number == streamAcks.withLock(\.next) || number <= publishQueue.withLock { $0.published }
    }

    /// Records that a server has refused posts, so that nobody waits for the stream's
    /// acknowledgements of them, or counts them again.
    func noteRefused(_ count: Int) {
        let last = publishQueue.withLock { $0.published }
        streamAcks.withLock { $0.refuse(UInt64(count), upTo: last) }
    }

    /// The beginning of an acknowledgement that says that the stream has kept a message. An error
    /// begins with the key `error`.
    private static let kept = Array("{\"stream\"".utf8)

    /// Returns why a stream did not keep a notification; nil if it did. Nearly all answers are
    /// positive, so their JSON is not parsed.
    private static func refusal(_ data: UnsafeRawBufferPointer) -> String? {
        if data.starts(with: kept) { return nil }
        do {
            _ = try JetStreamRefusal.check(Array(data))
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let sequenceKey = Array("\"seq\":".utf8)

    /// Returns the stream's number of a message that it has kept; nil if the acknowledgement does
    /// not say. Its JSON is not parsed, because there are many.
    static func sequence(_ data: UnsafeRawBufferPointer) -> UInt64? {
        guard let key = data.firstRange(of: sequenceKey) else { return nil }
        let digits = data[key.upperBound...].drop { $0 == 0x20 }
            .prefix { (0x30...0x39).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    // MARK: - Reporting

    /// Reports losses a moment later, because more may follow.
    func reportUnkeptLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            // Asking whether the stream exists blocks, hence a thread.
            BlockingThread.run("sw-nats-stream") { [self] in reportUnkept() }
        }
    }

    /// Reports the posts that the stream did not keep. Asks the server first whether the stream
    /// still exists, if it may have gone. Blocks then.
    func reportUnkept() {
        let mayBeGone = streamAcks.withLock { acks in
            defer { acks.mayBeGone = false }
            return acks.mayBeGone
        }
        if mayBeGone { checkStream(publishQueue.withLock { $0.published }) }
        reportLosses()
    }

    /// Reports the posts that the stream did not keep, and that were not reported yet.
    ///
    /// - Returns: Their loss.
    @discardableResult
    func reportLosses() -> DistributedLoss? {
        reportRepeat()
        guard let unkept = streamAcks.withLock({ $0.takeUnreported() }) else { return nil }
        let loss = DistributedLoss(
            peer: streamPeer, direction: .outgoing, count: unkept.count,
            reason: "the stream did not acknowledge that it keeps them for durable observers "
                + "(\(unkept.reason)): look at its limits and at the server, and post them again")
        intake?.report(loss)
        return loss
    }

    /// Reports that the stream has given numbers twice, if it was not reported yet.
    private func reportRepeat() {
        guard streamAcks.withLock({ $0.takeUntoldRepeat() }) else { return }
        intake?.report(
            DistributedLoss(
                peer: streamPeer, direction: .outgoing, count: 0,
                reason: "the server gives the stream's numbers a second time: it was killed, and "
                    + "lost the last ones, or the stream was made again. Durable observers may not "
                    + "hear the last posts: post again what has to be heard"))
    }

    /// The stream, where a process has to be named.
    var streamPeer: DistributedPeer {
        DistributedPeer(id: "", processIdentifier: 0, processName: "the stream \(stream)")
    }
}
#endif
