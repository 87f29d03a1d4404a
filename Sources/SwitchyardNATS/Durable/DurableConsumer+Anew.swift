// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

// A consumer whose place in the stream means nothing any more: it begins anew.
extension DurableConsumer {
    /// Whether the consumer is ahead of its stream, so that the server will take new messages for
    /// delivered, and nobody is subscribed. Blocks.
    ///
    /// A server (2.9.10) that is killed while a stream becomes empty may forget the stream's last
    /// sequence numbers, and remember the consumer's.
    func isAhead(
        _ stream: DurableStream, _ found: Status, _ transport: NATSTransport,
        _ session: NATSSession
    ) throws -> Bool {
        if found.isBound || found.progress.position == 0 { return false }
        let answer = try transport.jetStream.ask(
            "STREAM.INFO.\(stream.name(domain))", on: session)
        let last = (answer["state"] as? [String: Any])?["last_seq"] as? Int
        return last.map { $0 < found.progress.position } ?? false
    }

    /// Makes the server forget the consumer's place, and deliver all that the stream has for it,
    /// again or for the first time. Blocks.
    func beginAnew(
        _ stream: DurableStream, _ found: Status, deliverySubject: String,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status {
        // Without a consumer that wants the messages, the stream would drop them.
        let keeper = try keepMessages(stream, transport, session)
        defer {
            _ = try? transport.jetStream.ask(
                "CONSUMER.DELETE.\(stream.name(domain)).\(keeper)", on: session)
        }
        try delete(stream, transport, session)
        var configuration = configuration(stream)
        configuration["deliver_policy"] = "all"
        configuration["deliver_subject"] = deliverySubject
        return try create(stream, configuration, transport, session)
    }

    /// Makes a consumer for which the stream keeps its messages. The server deletes it when nobody
    /// does. Blocks.
    ///
    /// - Returns: The consumer's name.
    private func keepMessages(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> String {
        let configuration: [String: Any] = [
            "filter_subject": self.configuration(stream)["filter_subject"] ?? "",
            "deliver_policy": "all", "ack_policy": "explicit", "replay_policy": "instant",
            "inactive_threshold": Duration.seconds(60).wholeNanoseconds,
        ]
        let body: [String: Any] = [
            "stream_name": stream.name(domain), "config": configuration,
        ]
        let answer = try transport.jetStream.ask(
            "CONSUMER.CREATE.\(stream.name(domain))", body, on: session)
        guard let name = answer["name"] as? String else {
            throw NATSError("the server made a consumer without a name")
        }
        return name
    }
}
#endif
