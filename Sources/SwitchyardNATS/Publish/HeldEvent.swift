// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A notification that waits until there is a connection.
struct HeldEvent {
    let topic: OutgoingTopic
    let attributes: EventAttributes
    let data: [UInt8]
    let number: UInt64
    let topicSequence: UInt64
    /// The time of the post.
    let time: EventTime.Text

    /// - Returns: The status that libnats returns.
    func publish(on connection: OpaquePointer) -> natsStatus {
        let sent = try? data.withUnsafeBytes {
            try topic.publish(
                attributes, $0, number: number, topicSequence: topicSequence, on: connection
            ) { time.write(to: $0) }
        }
        return sent?.status ?? NATS_NO_MEMORY
    }

    /// The number of bytes that the event counts for in the limit of waiting bytes.
    var size: Int {
        attributes.context.reduce(data.count + Self.overhead) { size, field in
            size + field.key.utf8.count + field.value.utf8.count
        }
    }

    /// The estimated size of everything but the data and the context.
    private static let overhead = 100
}
#endif
