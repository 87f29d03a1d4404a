// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// Acknowledgements of the stream that keeps posts for durable observers.
extension NATSTransport {
    private static var askLimit: Duration { .seconds(2) }
    /// The milliseconds between two checks of whether acknowledgements still come.
    private static var lookAfter: Int { 5_000 }

    var stream: String { DurableStream.kept.name(options.domain) }

    /// The pattern of the subjects at which the stream acknowledges this process's posts.
    var ackPattern: String { "_SWY.\(ownPeer.id).*.*.*.*" }

    /// Whether this process knows of a stream that keeps posts.
    var knowsStream: Bool { streamAcks.withLock { $0.next != nil } }

    // MARK: - Finding out whether there is a stream

    /// Finds out whether the domain has a stream. If so, posts from now on are acknowledged. Blocks
    /// for a round trip; for some seconds, if this process knew of a stream, and the server does
    /// not say whether it still exists.
    func findStream(_ session: NATSSession) {
        // Another thread may be asking, perhaps on an earlier session.
        while !beginsAsking() { usleep(500) }
        askForStream(session)
    }

    private func beginsAsking() -> Bool {
        streamAcks.withLock { acks in
            defer { acks.isAsking = true }
            return !acks.isAsking
        }
    }

    /// What a server's answer says about the stream.
    private enum StreamAnswer {
        case exists
        /// There is no stream that acknowledges posts, or this process may not ask for it.
        case isMissing
        /// The server has no JetStream, or its JetStream is not ready.
        case noJetStream
        /// There was no answer in time, or an error that says nothing about the stream.
        case unclear
    }

    private func streamAnswer(_ session: NATSSession) -> StreamAnswer {
        do {
            let answer = try ask("STREAM.INFO.\(stream)", on: session, within: Self.askLimit)
            guard let configuration = answer["config"] as? [String: Any] else { return .unclear }
            return configuration["no_ack"] as? Bool == true ? .isMissing : .exists
        } catch let error as JetStreamRefusal {
            switch error.code {
            case JetStreamRefusal.noStream: return .isMissing
            case JetStreamRefusal.notEnabled, JetStreamRefusal.notEnabledForAccount:
                return .noJetStream
            default: return .unclear
            }
        } catch {
            switch (error as? NATSError)?.kind {
            case .noJetStream: return .noJetStream
            case .notAllowed: return .isMissing
            default: return .unclear
            }
        }
    }

    /// The time for which a new session waits for a clear answer about a stream that existed
    /// before. A server that was restarted has its streams only after a moment.
    private static var streamPatience: Duration { .seconds(4) }
    /// The number of times that a session asks for the stream while the answers are not clear.
    private static var mostQuestions: Int { 10 }

    /// Asks whether there is a stream. While the answer is not clear, and this process knew of a
    /// stream, posts are treated as if the stream existed: those that it does not acknowledge are
    /// counted.
    ///
    /// - Parameter earlier: the number of answers on this session that were not clear.
    private func askForStream(_ session: NATSSession, earlier: Int = 0) {
        defer { streamAcks.withLock { $0.isAsking = false } }
        var answer = streamAnswer(session)
        let isKnown = streamAcks.withLock(\.isKnown)
        let end = ContinuousClock.now + Self.streamPatience
        var pause: UInt32 = 10_000
        while isKnown, earlier == 0, answer == .unclear || answer == .noJetStream,
            ContinuousClock.now < end, isInUse(session)
        {
            usleep(pause)
            pause = min(pause * 2, 500_000)
            answer = streamAnswer(session)
        }
        switch answer {
        case .exists: hearAcks(session)
        case .isMissing: loseStream(before: outbox.withLock { $0.firstNumber }, "it has gone")
        case .noJetStream where !isKnown: endAcks()
        case .noJetStream where earlier + 1 >= Self.mostQuestions:
            loseStream(
                before: outbox.withLock { $0.firstNumber }, "the server has no JetStream any more")
        case .noJetStream, .unclear:
            if isKnown { hearAcks(session) }
            if earlier + 1 < Self.mostQuestions { askLater(session, earlier: earlier + 1) }
        }
    }

    private func isInUse(_ session: NATSSession) -> Bool {
        self.session === session && !hasStopped.load(ordering: .relaxed)
    }

    /// Asks for the stream again after a pause that grows up to ten seconds.
    private func askLater(_ session: NATSSession, earlier: Int) {
        let pause = DispatchTimeInterval.seconds(min(10, 1 << (earlier - 1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) {
            [weak self, weak session] in
            guard let self, let session, isInUse(session), beginsAsking() else { return }
            BlockingThread.run("sw-nats-stream") { [self] in
                askForStream(session, earlier: earlier)
            }
        }
    }

    /// Asks for the stream, because another process has said that there is one.
    func noteStream() {
        guard let session, !knowsStream, beginsAsking() else { return }
        BlockingThread.run("sw-nats-stream") { [self] in askForStream(session) }
    }

    /// Waits until this process knows whether there is a stream, at most until `end`.
    func settleStream(by end: ContinuousClock.Instant) async {
        while streamAcks.withLock(\.isAsking), ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Subscribes to the stream's acknowledgements of posts from now on. Does nothing if the session
    /// has the subscription already.
    func hearAcks(_ session: NATSSession) {
        guard let handle = session.handle, self.session === session,
            streamAcks.withLock(\.session) != session.token
        else { return }
        if mayNotHearAcks { return endAcks() }
        guard
            let subscription = try? PeerSubscription(
                ackPattern, on: handle, { [weak self] in self?.hearAck($0) })
        else { return }
        // Read after subscribing, so that all posts from this number on are acknowledged.
        let number = outbox.withLock { $0.firstNumber }
        let (earlier, isNew) = streamAcks.withLock { acks in
            defer { acks.begin(subscription, on: session.token, from: number) }
            return (acks.subscription, acks.next == nil)
        }
        withExtendedLifetime(earlier) {}
        // The server may have refused the subscription before `acks.begin` was called.
        if mayNotHearAcks { return endAcks() }
        if isNew { lookLater() }
    }

    /// Whether the session's server has refused the subscription to acknowledgements.
    private var mayNotHearAcks: Bool {
        refusals.withLock { $0.subscriptions.contains(ackPattern) }
    }

    /// - Parameter isGone: whether there is no stream; if not, acknowledgements can't be heard.
    func endAcks(isGone: Bool = false) {
        let ended = streamAcks.withLock { $0.end(isGone: isGone) }
        withExtendedLifetime(ended) {}
    }

    /// Counts all posts before `number` without an acknowledgement as not kept, because the stream
    /// has gone.
    private func loseStream(before number: UInt64, _ reason: String) {
        streamAcks.withLock { $0.giveUp(before: number, reason) }
        endAcks(isGone: true)
        tellUnkept()
    }

    // MARK: - Acknowledgements

    private func hearAck(_ message: OpaquePointer) {
        guard let subject = natsMsg_GetSubject(message), let number = EventNumber(subject),
            number.process == id, wasSent(number.number)
        else { return }
        let event = IncomingEvent(message)
        let isNew: Bool
        if natsMsg_IsNoResponders(message) {
            isNew = streamAcks.withLock { acks in
                acks.isAlone = true
                return acks.hear(number.number, "there is no such stream any more")
            }
        } else {
            let refusal = Self.refusal(event.data)
            isNew = streamAcks.withLock { $0.hear(number.number, refusal) }
        }
        if isNew { tellUnkeptLater() }
    }

    /// Whether a notification with that number was sent. Any client may publish acknowledgements.
    private func wasSent(_ number: UInt64) -> Bool {
        // Nearly always it is the next one, and the outbox is not asked.
        number == streamAcks.withLock(\.next) || number <= outbox.withLock { $0.published }
    }

    /// Records that a server has refused posts, so that nobody waits for the stream's
    /// acknowledgements of them, or counts them again.
    func noteRefused(_ count: Int) {
        let last = outbox.withLock { $0.published }
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

    private func tellUnkeptLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            // Asking whether the stream exists blocks, hence a thread.
            BlockingThread.run("sw-nats-stream") { [self] in tellUnkept() }
        }
    }

    func tellUnkept() {
        let isAlone = streamAcks.withLock { acks in
            defer { acks.isAlone = false }
            return acks.isAlone
        }
        if isAlone { lookForStream(outbox.withLock { $0.published }) }
        tellUntold()
    }

    private func tellUntold() {
        guard let untold = streamAcks.withLock({ $0.takeUntold() }) else { return }
        intake?.report(
            DistributedLoss(
                peer: streamPeer, direction: .outgoing, count: untold.count,
                reason: "the stream did not acknowledge that it keeps them for durable observers "
                    + "(\(untold.reason)): look at its limits and at the server, and post them again"
            ))
    }

    /// The stream, where a process has to be named.
    var streamPeer: DistributedPeer {
        DistributedPeer(id: "", processIdentifier: 0, processName: "the stream \(stream)")
    }

    // MARK: - Leaving

    /// Waits until the stream has acknowledged or refused everything posted, at most until `end`.
    /// Then reports as lost the posts without an acknowledgement, and those that still wait for a
    /// connection. Blocks. The center's end and the process's exit may both call this at once: one
    /// of the calls reports.
    func leaveStream(by end: ContinuousClock.Instant) {
        var look = ContinuousClock.now + .seconds(1)
        while isUnsettled, session != nil, ContinuousClock.now < end {
            if ContinuousClock.now >= look {
                lookForStream(outbox.withLock { $0.published })
                look = ContinuousClock.now + .seconds(1)
            }
            usleep(1_000)
        }
        guard let (first, held) = outbox.withLock({ $0.leave() }) else { return }
        streamAcks.withLock {
            $0.giveUp(
                before: first,
                "this process ended before the stream answered; it may have kept them")
        }
        tellUntold()
        if held == 0 { return }
        intake?.report(
            DistributedLoss(
                peer: server, direction: .outgoing, count: UInt64(held),
                reason:
                    "they waited for a connection to NATS, and this process left before there was "
                    + "one"))
    }

    /// Whether some posts have not been acknowledged yet.
    private var isUnsettled: Bool { !isSettled(upTo: outbox.withLock { $0.firstNumber } - 1) }

    /// Whether no acknowledgements come any more of posts up to `last`: they have come, or a server
    /// refused the posts.
    private func isSettled(upTo last: UInt64) -> Bool {
        let (next, refused) = streamAcks.withLock { ($0.next, $0.refused) }
        guard let next, next <= last else { return true }
        // Read last, so that all posts that `refused` counts are among these.
        let first = outbox.withLock { $0.firstNumber }
        return first > next && first - next <= refused
    }

    // MARK: - Waiting

    /// Waits until the stream has acknowledged or refused everything posted. Blocks.
    ///
    /// - Returns: Whether the stream has kept everything since the last call.
    func isKept(by end: ContinuousClock.Instant) -> Bool {
        let last = outbox.withLock { $0.published }
        var look = ContinuousClock.now + .seconds(1)
        while !isSettled(upTo: last) {
            let now = ContinuousClock.now
            if now >= end || hasStopped.load(ordering: .relaxed) {
                tellUnkept()
                _ = streamAcks.withLock { $0.settleFlush() }
                return false
            }
            if now >= look {
                lookForStream(last)
                look = ContinuousClock.now + .seconds(1)
            }
            usleep(1_000)
        }
        tellUnkept()
        return streamAcks.withLock { $0.settleFlush() }
    }

    /// Finds out whether a stream that does not acknowledge still exists. Blocks.
    private func lookForStream(_ last: UInt64) {
        guard let session else { return }
        do {
            try ask("STREAM.INFO.\(stream)", on: session, within: Self.askLimit)
        } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.noStream {
            loseStream(before: last + 1, "it has gone")
        } catch {
            // The server is busy or away, which says nothing about the stream.
        }
    }

    /// Checks now and then whether acknowledgements come, also while nobody waits for them.
    private func lookLater() {
        let later = DispatchTime.now() + .milliseconds(Self.lookAfter)
        DispatchQueue.global().asyncAfter(deadline: later) { [weak self] in self?.look() }
    }

    private func look() {
        if hasStopped.load(ordering: .relaxed) { return }
        let last = outbox.withLock { $0.published }
        let isOpen = !isSettled(upTo: last)
        let (isThere, isSame) = streamAcks.withLock { acks in
            defer { acks.lastLook = acks.next }
            return (acks.next != nil, acks.next == acks.lastLook)
        }
        if isThere, isOpen, isSame {
            BlockingThread.run("sw-nats-stream") { [self] in lookForStream(last) }
        }
        if isThere { lookLater() }
    }

    /// Gives up acknowledgements that the broken connection did not deliver. Called on a new
    /// session, before anything is published.
    func giveUpAcks() {
        let first = outbox.withLock { $0.firstNumber }
        streamAcks.withLock {
            $0.giveUp(
                before: first,
                "the connection broke before the stream answered; it may have kept them")
        }
        tellUnkept()
    }
}
#endif
