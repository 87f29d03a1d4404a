// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
package import SwitchyardWire

/// A notification as it was posted, with the process that posted it. The payload is decoded when it
/// is read.
public struct ReceivedNotification: Sendable {
    private let message: ReceivedMessage

    init(_ message: ReceivedMessage) { self.message = message }

    /// The name under which the notification was posted.
    public var name: Notification.Name { Notification.Name(message.topic.name) }
    /// The object that the notification is about.
    public var object: String? { message.topic.object }
    /// The process that posted the notification; ``DistributedNotificationCenter/ownPeer`` for this
    /// process.
    public var sender: DistributedPeer { message.sender }
    /// The notification's number among those that the posting process sent here; 0 for this
    /// process's own posts, and for the jobs of groups, which do not come with the others.
    public var sequence: UInt64 { message.sequence }
    /// Whether the notification was posted so that suspended processes deliver it as well.
    public var deliversImmediately: Bool { message.isImmediate }
    /// The encoded payload.
    public var payload: DistributedPayload { message.payload }
    /// The format of the payload's bytes.
    package var payloadKind: PayloadKind { message.kind }

    /// The payload as a dictionary, decoded anew each time.
    ///
    /// - Throws: An error if the received bytes are malformed.
    public var userInfo: [AnyHashable: Any]? { get throws { try message.userInfo } }

    /// Calls `body` with the payload's encoded bytes; without a copy if the handler runs on the
    /// thread that receives (`on: .poster`). The bytes are valid until `body` returns.
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try message.withBytes(body)
    }

    /// Returns the payload as a message, decoded anew each time; nil if something other than a
    /// message was posted.
    ///
    /// - Throws: The error of the message's decoding.
    public func message<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        try payload.message(type)
    }
}

/// A handler that calls a closure with notifications as they came.
final class ReceivedHandler: AnyNamedHandler {
    private let body: (ReceivedNotification) throws -> Void
    private let ownPeer: DistributedPeer

    init(ownPeer: DistributedPeer, _ body: @escaping (ReceivedNotification) throws -> Void) {
        self.ownPeer = ownPeer
        self.body = body
    }

    override var inWords: String { "a closure" }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        // The caller has a reference: counting another would take as long as the rest.
        let message = payload.message.map { Unmanaged.passUnretained($0) }
        if var borrowed = message,
            borrowed._withUnsafeGuaranteedRef({ type(of: $0) == ReceivedMessage.self })
        {
            // `ReceivedNotification` is a structure of this one reference, so its memory has the
            // same layout.
            try withUnsafeMutableBytes(of: &borrowed) { bytes in
                try Self.call(body, &bytes.assumingMemoryBound(to: ReceivedNotification.self)[0])
            }
        } else {
            try body(received(payload))
        }
        return .delivered
    }

    override func admits(_ payload: NamedPayload, _ filter: DeliveryFilter) -> Bool {
        // A payload that can't be encoded is reported when it is delivered.
        (try? received(payload)).map { filter.admits($0) } ?? true
    }

    override func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        (try? received(payload)).flatMap { key($0) }
    }

    private func received(_ payload: NamedPayload) throws -> ReceivedNotification {
        ReceivedNotification(try payload.message as? ReceivedMessage ?? ownMessage(payload))
    }

    // Never inlined: see `NamedPayload`.
    @inline(never)
    private static func call(
        _ body: (ReceivedNotification) throws -> Void, _ notification: inout ReceivedNotification
    ) throws {
        try body(notification)
    }

    /// Returns a post of this process, encoded as if it had come from another.
    private func ownMessage(_ payload: NamedPayload) throws -> ReceivedMessage {
        let notification = payload.notification
        let encoded =
            if let message = payload.message?.value as? any DistributedMessage {
                try message.distributedPayload
            } else {
                try DistributedPayload(userInfo: notification.userInfo)
            }
        return ReceivedMessage(
            encoded, sender: ownPeer, sequence: 0,
            ReceivedTopic(
                name: notification.name.rawValue, object: notification.object as? String))
    }
}
