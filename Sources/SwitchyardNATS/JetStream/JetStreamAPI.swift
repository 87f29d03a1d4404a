// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The requests of a process to JetStream, with requests and answers in JSON.
final class JetStreamAPI: Sendable {
    /// Publishes a message whose reply subject is `reply`.
    typealias Publish = @Sendable (_ handle: OpaquePointer, _ reply: String) -> natsStatus

    /// The default time limit for an answer.
    static let limit = Duration.seconds(5)

    private let requests: Guarded<APIRequests>

    /// - Parameter id: the process's id.
    init(domain: String, id: String) {
        requests = Guarded(APIRequests(domain: domain, id: id))
    }

    // MARK: - Asking

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - subject: the subject to which `publish` publishes.
    ///   - answer: called once, on any thread; with an error when no answer comes in time.
    func ask(
        _ subject: String, on session: NATSSession, _ publish: Publish,
        _ answer: @escaping APIRequests.Answer
    ) {
        let limit = Guarded<WaitLimit?>(nil)
        let number = send(subject, on: session, publish) { result in
            limit.withLock { $0 }?.cancel()
            answer(result)
        }
        let made = WaitLimit(after: Self.limit) { [weak self] in
            self?.end(number, Self.noAnswer(to: subject, within: Self.limit))
        }
        limit.withLock { $0 = made }
        // The answer may have come before the limit was there to be cancelled.
        if !requests.withLock({ $0.isOpen(number) }) { made.cancel() }
    }

    /// Sends a request, and returns the answer. Blocks; must not be called on a thread that
    /// receives answers.
    ///
    /// - Parameter subject: the subject to which `publish` publishes.
    /// - Throws: ``NATSError`` when no answer comes.
    func answer(
        to subject: String, on session: NATSSession, within limit: Duration = JetStreamAPI.limit,
        _ publish: Publish
    ) throws -> [UInt8] {
        let result = AwaitedAnswer()
        let number = send(subject, on: session, publish) { result.come($0) }
        // Not a limit that tasks share, because a forked child has no threads that run tasks.
        if !result.arrival.wait(until: .now + limit.withinACentury) {
            end(number, Self.noAnswer(to: subject, within: limit))
            // Another thread may have taken the request just now, and is about to answer it.
            _ = result.arrival.wait()
        }
        return try result.take()
    }

    /// Sends a JSON request and returns its JSON answer. Blocks; must not be called on a thread
    /// that receives answers.
    ///
    /// - Throws: ``JetStreamRefusal`` when JetStream refuses the request, ``NATSError`` when no
    ///   answer comes.
    @discardableResult
    func ask(
        _ question: String, _ body: [String: Any] = [:], on session: NATSSession,
        within limit: Duration = JetStreamAPI.limit
    ) throws -> [String: Any] {
        let subject = "$JS.API." + question
        let text = body.isEmpty ? Data() : try JSONSerialization.data(withJSONObject: body)
        let bytes = Array(text)
        let answer = try answer(to: subject, on: session, within: limit) { handle, reply in
            natsConnection_PublishRequest(handle, subject, reply, bytes, Int32(bytes.count))
        }
        return try JetStreamRefusal.check(answer)
    }

    /// - Returns: The request's number.
    private func send(
        _ subject: String, on session: NATSSession, _ publish: Publish,
        _ answer: @escaping APIRequests.Answer
    ) -> UInt64 {
        let (number, reply) = requests.withLock { $0.add(subject, answer) }
        guard let handle = session.handle else {
            end(number, NATSError("the connection has ended"))
            return number
        }
        let status = withExtendedLifetime(session) { publish(handle, reply) }
        if status != NATS_OK { end(number, NATSError(status, "ask \(subject)")) }
        return number
    }

    /// Ends a request with an error, if it has no answer yet.
    private func end(_ number: UInt64, _ error: NATSError) {
        requests.withLock { $0.take(number) }?(.failure(error))
    }

    private static func noAnswer(to subject: String, within limit: Duration) -> NATSError {
        NATSError("there was no answer to \(subject) within \(limit)")
    }

    /// An answer that a thread waits for.
    private final class AwaitedAnswer: Sendable {
        let arrival = ThreadSignal()
        private let result = Guarded<Result<[UInt8], NATSError>>(.success([]))

        func come(_ answer: Result<[UInt8], NATSError>) {
            result.withLock { $0 = answer }
            arrival.raise()
        }

        func take() throws -> [UInt8] { try result.withLock { $0 }.get() }
    }

    // MARK: - Answers

    /// Passes a message on to the request that it answers.
    ///
    /// - Returns: Whether the message was an answer to a request.
    func receive(_ subject: String, _ event: IncomingEvent) -> Bool {
        let answer = requests.withLock { requests -> APIRequests.Answer?? in
            guard let number = requests.number(ofAnswer: subject) else { return nil }
            return .some(requests.take(number))
        }
        guard let answer else { return false }
        if natsMsg_IsNoResponders(event.handle) {
            answer?(.failure(NATSError(JetStreamRefusal.noJetStream, code: .noJetStream)))
        } else {
            answer?(.success(Array(event.data)))
        }
        return true
    }

    /// Ends the requests to a subject to which this process may not publish.
    ///
    /// - Returns: Whether there were any.
    func endRequests(
        refused subject: RefusedSubject, _ error: @autoclosure () -> NATSError
    ) -> Bool {
        let answers = requests.withLock { $0.take(refused: subject) }
        if answers.isEmpty { return false }
        let error = error()
        for answer in answers { answer(.failure(error)) }
        return true
    }

    /// Ends all open requests with an error, because no answer can come any more.
    func endRequests() {
        for answer in requests.withLock({ $0.takeAll() }) {
            answer(.failure(NATSError("the connection to NATS broke")))
        }
    }
}
#endif
