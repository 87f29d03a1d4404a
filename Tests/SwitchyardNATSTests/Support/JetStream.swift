// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import SwitchyardDistributed
import Testing

@testable import SwitchyardNATS

extension Member {
    /// Asks JetStream a question, as an operator's tool does.
    @discardableResult
    func ask(_ question: String, _ body: [String: Any] = [:]) throws -> [String: Any] {
        let transport = try #require(center.engineTransport as? NATSTransport)
        return try transport.withSession { try transport.jetStream.ask(question, body, on: $0) }
    }

    /// Publishes a text to a subject, as any client may.
    func publish(
        _ text: String, to subject: String, _ headers: [(name: String, value: String)] = []
    ) throws {
        let transport = try #require(center.engineTransport as? NATSTransport)
        try transport.withSession { session in
            let handle = try #require(session.handle)
            var text = text
            let status = text.withUTF8 { bytes in
                RefusedHeaders.publish(
                    UnsafeRawBufferPointer(bytes), to: subject, reply: "nobody", headers, handle)
            }
            try NATSError.check(status, "publish to \(subject)")
        }
    }

    /// Subscribes to a pattern of subjects, until the result is released.
    func listen(
        to pattern: String, _ hear: @escaping @Sendable (String) -> Void
    ) throws -> CallbackSubscription {
        let transport = try #require(center.engineTransport as? NATSTransport)
        return try transport.withSession { session in
            try CallbackSubscription(pattern, on: session) { message in
                hear(String(decoding: IncomingEvent(message).data, as: UTF8.self))
            }
        }
    }

    /// The number of messages in a stream, by the stream's own word.
    func count(in stream: String) throws -> Int {
        let state = try ask("STREAM.INFO.\(stream)")["state"] as? [String: Any]
        return try #require(state?["messages"] as? Int)
    }
}

/// The numbers that durable observers heard.
func number(_ notification: DurableNotification) -> Int {
    (try? notification.userInfo?["n"] as? Int) ?? -1
}
#endif
