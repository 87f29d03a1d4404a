// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// Finding out whether there is a stream that keeps posts for durable observers.
extension NATSTransport {
    private static var askLimit: Duration { .seconds(2) }

    /// The name of the stream that keeps posts.
    var stream: String { DurableStream.kept.name(options.domain) }

    /// Whether this process knows of a stream that keeps posts.
    var knowsStream: Bool { streamAcks.withLock { $0.next != nil } }

    /// Finds out whether the domain has a stream. If so, posts from now on are acknowledged. Blocks
    /// for a round trip; for some seconds, if this process knew of a stream, and the server does
    /// not say whether it still exists.
    func findStream(_ session: NATSSession) {
        // Another thread may be asking, perhaps on an earlier session.
        while !beginsAsking() { usleep(500) }
        askForStream(session)
    }

    /// Begins asking for the stream.
    ///
    /// - Returns: Whether no other thread is asking.
    private func beginsAsking() -> Bool {
        streamAcks.withLock { acks in
            defer { acks.isAsking = true }
            return !acks.isAsking
        }
    }

    /// A server's answer to the question about the stream.
    private enum StreamAnswer {
        case exists(last: UInt64)
        /// There is no stream that acknowledges posts, or this process may not ask for it.
        case isMissing
        /// The server has no JetStream, or its JetStream is not ready.
        case noJetStream
        /// There was no answer in time, or an error that says nothing about the stream.
        case unclear

        /// Whether a server that was just started may answer otherwise in a moment.
        var mayChange: Bool {
            switch self {
            case .exists, .isMissing: false
            case .noJetStream, .unclear: true
            }
        }
    }

    private func streamAnswer(_ session: NATSSession) -> StreamAnswer {
        do {
            let answer = try jetStream.ask(
                "STREAM.INFO.\(stream)", on: session, within: Self.askLimit)
            guard let configuration = answer["config"] as? [String: Any] else { return .unclear }
            return configuration["no_ack"] as? Bool == true
                ? .isMissing
                : .exists(last: StreamNumbers.last(answer))
        } catch let error as JetStreamRefusal {
            switch error.code {
            case JetStreamRefusal.noStream: return .isMissing
            case JetStreamRefusal.notEnabled, JetStreamRefusal.notEnabledForAccount:
                return .noJetStream
            default: return .unclear
            }
        } catch {
            switch (error as? NATSError)?.code {
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
        while isKnown, earlier == 0, answer.mayChange,
            ContinuousClock.now < end, isInUse(session)
        {
            usleep(pause)
            pause = min(pause * 2, 500_000)
            answer = streamAnswer(session)
        }
        switch answer {
        case .exists(let last):
            passNumbers(after: last, session)
            subscribeToAcks(session)
        case .isMissing: loseStream(before: publishQueue.withLock { $0.firstNumber }, "it has gone")
        case .noJetStream where !isKnown: endAcks()
        case .noJetStream where earlier + 1 >= Self.mostQuestions:
            loseStream(
                before: publishQueue.withLock { $0.firstNumber },
                "the server has no JetStream any more")
        case .noJetStream, .unclear:
            if isKnown { subscribeToAcks(session) }
            if earlier + 1 < Self.mostQuestions { askLater(session, earlier: earlier + 1) }
        }
    }

    /// Makes the stream pass over the numbers that a killed server forgot, and its consumers
    /// remember, before this process posts. Does nothing if the account may not ask for the
    /// stream's consumers. Blocks.
    ///
    /// - Parameter last: the number of the stream's last message.
    private func passNumbers(after last: UInt64, _ session: NATSSession) {
        // On a session with the subscription, later acknowledgements may have come by now.
        let isRepeat = streamAcks.withLock {
            $0.session != session.token && $0.note(last: last)
        }
        let numbers = numbers(of: .kept)
        do {
            let place = try numbers.place(behind: last, on: session)
            if place > last { _ = try numbers.pass(to: place, on: session) }
        } catch {
            // Observers look for themselves, too.
        }
        if isRepeat { reportUnkeptLater() }
    }

    func numbers(of stream: DurableStream) -> StreamNumbers {
        StreamNumbers(
            stream: stream, domain: options.domain, subjects: subjects, jetStream: jetStream)
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
    func findAnnouncedStream() {
        guard let session, !knowsStream, beginsAsking() else { return }
        BlockingThread.run("sw-nats-stream") { [self] in askForStream(session) }
    }

    /// Waits until this process knows whether there is a stream, at most until `end`. Blocks.
    func settleStream(by end: ContinuousClock.Instant, _ wait: BlockingWait) {
        while streamAcks.withLock(\.isAsking), ContinuousClock.now < end, !wait.isCancelled {
            usleep(1_000)
        }
    }

    // MARK: - Losing the stream

    /// Finds out whether a stream that does not acknowledge still exists. Blocks.
    ///
    /// - Parameter last: the number of the last post that counts as not kept if the stream has
    ///   gone.
    func checkStream(_ last: UInt64) {
        guard let session else { return }
        do {
            try jetStream.ask("STREAM.INFO.\(stream)", on: session, within: Self.askLimit)
        } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.noStream {
            loseStream(before: last + 1, "it has gone")
        } catch {
            // The server is busy or away, which says nothing about the stream.
        }
    }

    /// Counts all posts before `number` without an acknowledgement as not kept, because the stream
    /// has gone.
    func loseStream(before number: UInt64, _ reason: String) {
        streamAcks.withLock { $0.giveUp(before: number, reason) }
        endAcks(isGone: true)
        reportUnkept()
    }
}
#endif
