// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The parts of a reply subject of a message that a stream delivers:
/// `$JS.ACK.STREAM.CONSUMER.DELIVERIES.SEQUENCE.DELIVERY.TIME.…`. Servers with a domain put their
/// domain and the account before the stream.
///
/// Any client that may publish to an observer's subject can write such a reply subject, so its
/// numbers are limited to a range in which sums do not overflow.
struct AckReply {
    /// The message's number in the stream.
    let sequence: UInt64
    /// The number of deliveries, including this one.
    let deliveries: Int
    /// The time at which the stream took the message, in nanoseconds since 1970.
    let time: UInt64

    init?(_ reply: String) {
        let parts = reply.tokensOfSubject()
        guard parts.count >= 9, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
        let stream = parts.count >= 11 ? 4 : 2
        guard let deliveries = Int(parts[stream + 2]), let sequence = UInt64(parts[stream + 3]),
            let time = UInt64(parts[stream + 5])
        else { return nil }
        self.deliveries = Self.count(deliveries)
        self.sequence = sequence
        self.time = time
    }

    /// Returns a count from a message, limited to a million.
    static func count(_ number: Int) -> Int { min(max(0, number), 1_000_000) }
}
#endif
