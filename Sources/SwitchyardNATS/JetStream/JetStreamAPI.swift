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
    ///   - answer: called once, on any thread.
    func ask(
        _ subject: String, on session: NATSSession, within limit: Duration = JetStreamAPI.limit,
        _ publish: Publish, _ answer: @escaping APIRequests.Answer
    ) {
        let (number, reply) = requests.withLock { $0.add(subject, answer) }
        let end: @Sendable (NATSError) -> Void = { [weak self] error in
            self?.requests.withLock { $0.take(number) }?(.failure(error))
        }
        guard let handle = session.handle else { return end(NATSError("the connection has ended")) }
        let status = withExtendedLifetime(session) { publish(handle, reply) }
        if status != NATS_OK { return end(NATSError(status, "ask \(subject)")) }
        let nanoseconds = Int(clamping: limit.milliseconds) * 1_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            end(NATSError("there was no answer to \(subject) within \(limit)"))
        }
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
        let answer = try wait { done in
            ask(subject, on: session, within: limit) { handle, reply in
                natsConnection_PublishRequest(handle, subject, reply, bytes, Int32(bytes.count))
            } _: {
                done($0)
            }
        }
        return try JetStreamRefusal.check(answer)
    }

    /// Calls `begin` and waits for the answer. Blocks.
    func wait(_ begin: (@escaping APIRequests.Answer) -> Void) throws -> [UInt8] {
        let arrival = DispatchSemaphore(value: 0)
        let result = WaitResult()
        begin { answer in
            _ = result.answer.exchange(answer)
            arrival.signal()
        }
        arrival.wait()
        return try result.answer.withLock { $0 }.get()
    }

    private final class WaitResult: Sendable {
        let answer = Guarded<Result<[UInt8], NATSError>>(.success([]))
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
    func endRequests(refused subject: String, _ error: @autoclosure () -> NATSError) -> Bool {
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
