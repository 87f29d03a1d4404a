// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A notification on its way to other processes.
public struct OutgoingNotification: Sendable {
    /// The name under which the notification is posted.
    public let name: String
    /// The object that the notification is about.
    public let object: String?
    /// The encoded payload.
    public let payload: DistributedPayload
    /// Whether suspended processes deliver the notification as well.
    public let deliversImmediately: Bool
    /// The context of the notification, beside its payload, such as the `traceparent` of a trace;
    /// empty for most. A transport that can't take it along leaves it out.
    public let context: [String: String]
    /// The time of the post, in nanoseconds since 1970, if the notification is kept for observers
    /// that come late; nil for others. ``IncomingNotification/keptAt`` has it in other processes,
    /// if the transport ``DistributedTransport/sharesLatestValues``.
    public let keptAt: UInt64?

    /// Creates a notification to be sent.
    public init(
        name: String, object: String?, payload: DistributedPayload, deliversImmediately: Bool,
        context: [String: String] = [:], keptAt: UInt64? = nil
    ) {
        self.name = name
        self.object = object
        self.payload = payload
        self.deliversImmediately = deliversImmediately
        self.context = context
        self.keptAt = keptAt
    }
}

/// The result of sending a notification.
public struct DistributedSendResult: Sendable, Hashable {
    /// The number of peers that the notification went to, or waits for.
    public var sent: Int
    /// The number of deliveries lost because too much waits for a peer, or because this process
    /// leaves.
    public var dropped: Int

    /// Creates a result.
    public init(sent: Int = 0, dropped: Int = 0) {
        self.sent = sent
        self.dropped = dropped
    }
}
