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
        StreamNumber.checked((answer["state"] as? [String: Any])?["last_seq"] as? UInt64)
    }

    /// Returns the largest number that some consumer has been delivered, or has passed over; 0 if
    /// there is none. Blocks.
    ///
    /// - Parameter last: the number of the stream's last message. Consumers that are too far ahead
    ///   of it do not count.
    func place(behind last: UInt64, on session: NATSSession) throws -> UInt64 {
        let most = last + Self.mostPassed
        var (place, count) = (UInt64(0), 0)
        while true {
            let answer = try jetStream.ask(
                "CONSUMER.LIST.\(name)", ["offset": count], on: session, within: Self.limit)
            let consumers = answer["consumers"] as? [[String: Any]] ?? []
            place = max(place, consumers.map { Self.place($0) }.filter { $0 <= most }.max() ?? 0)
            count += consumers.count
            if consumers.isEmpty || count >= answer["total"] as? Int ?? 0 { return place }
        }
    }

    /// - Parameter consumer: a server's description of a consumer.
    static func place(_ consumer: [String: Any]) -> UInt64 {
        StreamNumber.checked((consumer["delivered"] as? [String: Any])?["stream_seq"] as? UInt64)
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
        var passed = try publishEmpty(to: subject, on: session)
        while passed < place {
            for _ in 0..<(place - passed - 1) {
                if natsConnection_Publish(handle, subject, nil, 0) != NATS_OK { return false }
            }
            let last = try publishEmpty(to: subject, on: session)
            if last <= passed { return false }
            passed = last
        }
        // The stream of refused notifications keeps messages that no consumer asks for.
        if stream == .refused {
            try jetStream.ask("STREAM.PURGE.\(name)", ["filter": subject], on: session)
        }
        withExtendedLifetime(session) {}
        return true
    }

    /// Publishes a message without a content, and waits until the stream has taken it. Blocks.
    ///
    /// - Returns: The message's number.
    private func publishEmpty(
        to subject: String, on session: NATSSession
    ) throws -> UInt64 {
        let answer = try jetStream.answer(to: subject, on: session, within: Self.limit) {
            natsConnection_PublishRequest($0, subject, $1, nil, 0)
        }
        return StreamNumber.checked(try JetStreamRefusal.check(answer)["seq"] as? UInt64)
    }
}

/// The numbers in the answers of a server, which may be anything: programs of the domain that are
/// not ours could have written them.
enum StreamNumber {
    /// No stream comes to so many messages. The number can be counted on from without an overflow.
    private static let most: Int = 1 << 53

    static func checked(_ number: Int?) -> Int { min(max(0, number ?? 0), most) }
    static func checked(_ number: UInt64?) -> UInt64 { min(number ?? 0, UInt64(most)) }
}
#endif
