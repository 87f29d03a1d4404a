// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

/// The numbers that a stream gives to its messages.
///
/// A server (2.9.10) that is killed while a stream becomes empty may forget the stream's last
/// numbers, and remember its consumers' places. It would give these numbers to new messages, and
/// take the messages for delivered. So messages without a content get the numbers, before anything
/// is posted.
struct StreamNumbers: Sendable {
    let stream: DurableStream
    let domain: String
    let subjects: SubjectMap
    let jetStream: JetStreamAPI

    private var name: String { stream.name(domain) }

    /// The most numbers that are passed over. A stream that has forgotten more was made again, or
    /// has lost its storage, with messages that were not handled: its observers begin anew, and
    /// report a gap.
    private static let mostPassed: UInt64 = 10_000

    /// The time limit of each request: posts wait meanwhile.
    private static let limit = Duration.seconds(2)

    /// Returns the number of the stream's last message; 0 if there was none. Blocks.
    func last(on session: NATSSession) throws -> UInt64 {
        Self.last(try jetStream.ask("STREAM.INFO.\(name)", on: session, within: Self.limit))
    }

    /// - Parameter answer: a server's description of a stream.
    static func last(_ answer: [String: Any]) -> UInt64 {
        (answer["state"] as? [String: Any])?["last_seq"] as? UInt64 ?? 0
    }

    /// Returns the largest number that some consumer has been delivered, or has passed over; 0 if
    /// there is none. Blocks.
    func place(on session: NATSSession) throws -> UInt64 {
        var (place, count) = (UInt64(0), 0)
        while true {
            let answer = try jetStream.ask(
                "CONSUMER.LIST.\(name)", ["offset": count], on: session, within: Self.limit)
            let consumers = answer["consumers"] as? [[String: Any]] ?? []
            place = max(place, consumers.map { Self.place($0) }.max() ?? 0)
            count += consumers.count
            if consumers.isEmpty || count >= answer["total"] as? Int ?? 0 { return place }
        }
    }

    /// - Parameter consumer: a server's description of a consumer.
    static func place(_ consumer: [String: Any]) -> UInt64 {
        (consumer["delivered"] as? [String: Any])?["stream_seq"] as? UInt64 ?? 0
    }

    /// Gives the numbers behind the last message up to `place` to messages without a content, if
    /// these are not too many. Blocks.
    ///
    /// - Returns: Whether no message that is posted from now on gets one of these numbers.
    func pass(to place: UInt64, on session: NATSSession) throws -> Bool {
        // Asked for behind the place: messages that come meanwhile do not count.
        let last = try last(on: session)
        guard place > last else { return true }
        if place - last > Self.mostPassed { return false }
        guard let handle = session.handle else { return false }
        let subject = stream.emptySubject(domain, subjects)
        // The first tells whether the account may publish there.
        try publishEmpty(to: subject, on: session)
        if place - last > 2 {
            for _ in last + 2..<place { natsConnection_Publish(handle, subject, nil, 0) }
        }
        if place - last > 1 { try publishEmpty(to: subject, on: session) }
        // The stream of refused notifications keeps messages that no consumer asks for.
        if stream == .refused {
            try jetStream.ask("STREAM.PURGE.\(name)", ["filter": subject], on: session)
        }
        withExtendedLifetime(session) {}
        return true
    }

    /// Publishes a message without a content, and waits until the stream has taken it. Blocks.
    private func publishEmpty(to subject: String, on session: NATSSession) throws {
        let answer = try jetStream.answer(to: subject, on: session, within: Self.limit) {
            natsConnection_PublishRequest($0, subject, $1, nil, 0)
        }
        try JetStreamRefusal.checkKept(answer)
    }
}
#endif
