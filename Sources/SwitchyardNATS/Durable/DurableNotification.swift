// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
public import Foundation
public import SwitchyardDistributed

/// A notification that a stream has kept for a durable observer.
public struct DurableNotification: Sendable {
    /// The name under which it was posted.
    public let name: Notification.Name
    /// The object that it is about.
    public let object: String?
    /// The payload, as it was sent.
    public let payload: DistributedPayload
    /// The process that posted it.
    public let sender: DistributedPeer
    /// The notification's number in the stream. A repeated delivery has the same number.
    public let sequence: UInt64
    /// The number of deliveries, including this one. If it is more than one, the notification may
    /// have been handled before.
    public let deliveryCount: Int

    /// The payload as a dictionary.
    ///
    /// - Throws: An error when the received bytes are malformed.
    public var userInfo: [AnyHashable: Any]? { get throws { try payload.userInfo } }

    /// Returns the payload as a message; nil when the payload is not JSON.
    ///
    /// - Throws: The error of the message's decoding, also when the JSON is another message's.
    public func message<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        try payload.message(type)
    }

    /// - Parameters:
    ///   - message: a libnats message. The result is nil if it is not a notification.
    ///   - subject: the subject under which the notification was published.
    init?(
        _ message: OpaquePointer, subject: String?, _ subjects: SubjectMap, sequence: UInt64,
        deliveryCount: Int
    ) {
        let event = IncomingEvent(message)
        guard let subject, let topic = subjects.parse(subject) else { return nil }
        name = Notification.Name(topic.name)
        object = topic.object
        payload = EventData.payload(event.kind, event.data)
        sender = PeerSource.peer(event.header(EventHeaders.source), id: nil)
        self.sequence = sequence
        self.deliveryCount = deliveryCount
    }
}
#endif
