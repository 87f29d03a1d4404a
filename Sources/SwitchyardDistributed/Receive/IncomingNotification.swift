// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A notification from another process.
public struct IncomingNotification: Sendable {
    /// The name under which the notification was posted.
    public let name: String
    /// The object that the notification is about.
    public let object: String?
    /// The encoded payload.
    public let payload: DistributedPayload
    /// Whether the notification is delivered even while the center is suspended.
    public let deliversImmediately: Bool
    /// The process that posted the notification.
    public let sender: DistributedPeer
    /// The notification's number among those that the posting process sent here.
    public let sequence: UInt64
    /// The context of the notification, beside its payload; see ``OutgoingNotification/context``.
    public let context: [String: String]
    /// The time of the post, if the notification is kept for observers that come late; see
    /// ``OutgoingNotification/keptAt``.
    public let keptAt: UInt64?

    /// Creates a notification that came from another process.
    public init(
        name: String, object: String?, payload: DistributedPayload, deliversImmediately: Bool,
        sender: DistributedPeer, sequence: UInt64, context: [String: String] = [:],
        keptAt: UInt64? = nil
    ) {
        self.name = name
        self.object = object
        self.payload = payload
        self.deliversImmediately = deliversImmediately
        self.sender = sender
        self.sequence = sequence
        self.context = context
        self.keptAt = keptAt
    }
}
