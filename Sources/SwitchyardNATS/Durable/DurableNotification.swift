// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
public import Foundation
internal import CNATS
public import SwitchyardDistributed

/// A notification that a stream kept for an observer.
public struct DurableNotification: Sendable {
    /// Under what name it was posted.
    public let name: Notification.Name
    /// What it is about.
    public let object: String?
    /// What it carries.
    public let payload: DistributedPayload
    /// Who posted it.
    public let sender: DistributedPeer
    /// Its number in the stream: one that comes again has the same.
    public let sequence: UInt64
    /// How often it has been delivered, this time included. More than once: it may have been handled.
    public let deliveryCount: Int

    /// What it carries, as a dictionary.
    ///
    /// - Throws: when the sender's bytes are malformed.
    public var userInfo: [AnyHashable: Any]? { get throws { try payload.userInfo } }

    /// What it carries, as a message; nil when it was posted with something else.
    ///
    /// - Throws: when the message's own decoding does.
    public func message<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        try payload.message(type)
    }

    /// - Parameter message: what came for a consumer; nil where it is no notification.
    init?(_ message: OpaquePointer, _ subjects: SubjectMap) {
        let event = IncomingEvent(message)
        guard let subject = event.subject, let topic = subjects.parse(String(cString: subject))
        else { return nil }
        var found: UnsafeMutablePointer<jsMsgMetaData>?
        guard natsMsg_GetMetaData(&found, message) == NATS_OK, let metadata = found else {
            return nil
        }
        defer { jsMsgMetaData_Destroy(metadata) }
        name = Notification.Name(topic.name)
        object = topic.object
        payload = EventData.payload(event.kind, event.data)
        sender = PeerSource.peer(event.header(EventHeaders.source), id: nil)
        sequence = metadata.pointee.Sequence.Stream
        deliveryCount = Int(clamping: metadata.pointee.NumDelivered)
    }
}
#endif
