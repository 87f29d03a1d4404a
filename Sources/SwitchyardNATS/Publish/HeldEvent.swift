// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A notification that waits until there is a connection.
struct HeldEvent {
    let topic: OutgoingTopic
    let kind: EventKind
    let data: [UInt8]
    let isImmediate: Bool
    let isTraced: Bool
    let keptAt: UInt64?
    let number: UInt64
    let topicSequence: UInt64
    /// The time of the post.
    let time: EventTime.Text

    /// - Returns: The status that libnats returns.
    func publish(on connection: OpaquePointer) -> natsStatus {
        guard
            let message = try? topic.message(
                kind, data, isImmediate: isImmediate, isTraced: isTraced, keptAt: keptAt,
                number: number, topicSequence: topicSequence)
        else { return NATS_NO_MEMORY }
        time.write(to: message.time)
        return natsConnection_PublishMsg(connection, message.handle)
    }

    /// The number of bytes that the event counts for in the limit of waiting bytes.
    var size: Int { data.count + Self.overhead }

    /// The estimated size of everything but the data.
    private static let overhead = 100
}
#endif
