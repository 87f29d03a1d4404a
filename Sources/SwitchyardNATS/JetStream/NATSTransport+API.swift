// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// JetStream's API: requests and answers in JSON.
extension NATSTransport {
    /// The default time limit for an answer.
    static var apiLimit: Duration { .seconds(5) }

    /// Publishes a message whose reply subject is `reply`.
    typealias Publish = @Sendable (_ handle: OpaquePointer, _ reply: String) -> natsStatus

    /// Sends a request to JetStream.
    ///
    /// - Parameters:
    ///   - subject: the subject to which `publish` publishes.
    ///   - answer: called once, on any thread.
    func ask(
        _ subject: String, on session: NATSSession, within limit: Duration = NATSTransport.apiLimit,
        _ publish: Publish, _ answer: @escaping APIRequests.Answer
    ) {
        let (number, reply) = apiRequests.withLock { $0.add(subject, answer) }
        let end: @Sendable (NATSError) -> Void = { [weak self] error in
            self?.apiRequests.withLock { $0.take(number) }?(.failure(error))
        }
        guard let handle = session.handle else { return end(NATSError("the connection has ended")) }
        let status = withExtendedLifetime(session) { publish(handle, reply) }
        if status != NATS_OK { return end(NATSError(status, "ask \(subject)")) }
        let nanoseconds = Int(clamping: limit.milliseconds) * 1_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            end(NATSError("there was no answer to \(subject) within \(limit)"))
        }
    }

    /// Sends a JSON request to JetStream and returns its JSON answer. Blocks; must not be called on
    /// a thread that receives answers.
    ///
    /// - Throws: ``JetStreamRefusal`` when JetStream refuses the request, ``NATSError`` when no
    ///   answer comes.
    @discardableResult
    func ask(
        _ question: String, _ body: [String: Any] = [:], on session: NATSSession,
        within limit: Duration = NATSTransport.apiLimit
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
        let place = AnswerPlace()
        begin { answer in
            _ = place.answer.exchange(answer)
            arrival.signal()
        }
        arrival.wait()
        return try place.answer.withLock { $0 }.get()
    }

    private final class AnswerPlace: Sendable {
        let answer = Guarded<Result<[UInt8], NATSError>>(.success([]))
    }

    /// Passes a message on to the request that it answers.
    ///
    /// - Returns: Whether the message was an answer to a request.
    func hearAPI(_ subject: String, _ event: IncomingEvent) -> Bool {
        let answer = apiRequests.withLock { requests -> APIRequests.Answer?? in
            guard let number = requests.number(ofAnswer: subject) else { return nil }
            return .some(requests.take(number))
        }
        guard let answer else { return false }
        if natsMsg_IsNoResponders(event.handle) {
            answer?(.failure(NATSError(JetStreamRefusal.noJetStream, kind: .noJetStream)))
        } else {
            answer?(.success(Array(event.data)))
        }
        return true
    }

    /// Ends all open requests with an error, because no answer can come any more.
    func endAPIRequests() {
        for answer in apiRequests.withLock({ $0.takeAll() }) {
            answer(.failure(NATSError("the connection to NATS broke")))
        }
    }
}

/// An error in an answer of JetStream, with JetStream's code and text.
struct JetStreamRefusal: Error, CustomStringConvertible {
    let code: Int
    let description: String

    static let noStream = 10059
    static let noConsumer = 10014
    static let consumerExists = 10013
    static let noMessage = 10037
    static let streamExists = 10058
    static let tooLong = 10054
    static let otherStream = 10060
    static let notEnabledForAccount = 10039
    static let notEnabled = 10076

    static let noJetStream =
        "the server has no JetStream, or it is not ready: durable observers need it (nats-server -js)"

    /// - Returns: The answer's JSON object.
    /// - Throws: A ``JetStreamRefusal`` when the answer is an error.
    static func check(_ answer: [UInt8]) throws -> [String: Any] {
        guard
            let words = try? JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        else { throw NATSError("JetStream's answer is no JSON object") }
        guard let error = words["error"] as? [String: Any] else { return words }
        throw JetStreamRefusal(
            code: error["err_code"] as? Int ?? 0,
            description: error["description"] as? String ?? "an error without words")
    }

    /// Checks a stream's answer to a message that was published to it.
    ///
    /// - Throws: An error unless the stream has kept the message.
    static func checkKept(_ answer: [UInt8]) throws {
        let words = try check(answer)
        if words["duplicate"] as? Bool == true {
            throw NATSError(
                "the stream did not keep the message, because it takes it for one that it was sent "
                    + "before")
        }
    }
}
#endif
