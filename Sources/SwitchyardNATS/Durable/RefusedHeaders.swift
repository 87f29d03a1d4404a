// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

/// The headers that a copy of a refused notification has in addition to the notification's own.
enum RefusedHeaders {
    /// The subject at which the notification was published, escaped.
    static let subject = "switchyard-subject"
    /// The notification's number in the stream of kept notifications.
    static let sequence = "switchyard-sequence"
    /// The number of earlier deliveries.
    static let tries = "switchyard-tries"
    /// The number of refusals by the handler since the notification was posted or posted again.
    static let refusals = "switchyard-refusals"
    /// The time until which a copy waits before the handler gets it, in milliseconds since 1970.
    static let until = "switchyard-until"
    /// The error that the handler threw, escaped.
    static let error = "switchyard-error"
    /// The mark of a notification that was given up, and posted again.
    static let isAgain = "switchyard-again"

    /// The text by which a stream tells a message that comes a second time.
    static let identity = "Nats-Msg-Id"

    static let all: Set<String> = [subject, sequence, tries, refusals, until, error, isAgain]

    /// Returns whether a header of a notification is also a header of its copies. Headers that
    /// begin with `Nats-` are commands to the server for one message: with the same `Nats-Msg-Id`,
    /// the stream would drop the second copy as a duplicate of the first.
    static func isCopied(_ name: String) -> Bool { !name.lowercased().hasPrefix("nats-") }

    /// The number of characters of an error that are kept.
    static let longestError = 200

    /// Publishes a message with headers.
    static func publish(
        _ data: UnsafeRawBufferPointer, to subject: String, reply: String,
        _ headers: [(name: String, value: String)], _ connection: OpaquePointer
    ) -> natsStatus {
        var made: OpaquePointer?
        let bytes = data.baseAddress?.assumingMemoryBound(to: CChar.self)
        let status = natsMsg_Create(&made, subject, reply, bytes, Int32(data.count))
        guard status == NATS_OK, let message = made else { return status }
        defer { natsMsg_Destroy(message) }
        for (name, value) in headers {
            let status = natsMsgHeader_Set(message, name, value)
            if status != NATS_OK { return status }
        }
        return natsConnection_PublishMsg(connection, message)
    }
}
#endif
