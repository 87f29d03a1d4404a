// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification as another process posted it, with who did; its payload is decoded when it is read.
public struct ReceivedNotification: Sendable {
    private let message: ReceivedMessage

    init(_ message: ReceivedMessage) { self.message = message }

    /// Under what name it was posted.
    public var name: Notification.Name { Notification.Name(message.topic.name) }
    /// What it is about.
    public var object: String? { message.topic.object }
    /// Who posted it; this process's own center, if it did.
    public var sender: DistributedPeer { message.sender }
    /// Its number among those that the sender sent here; 0 for one of this process's own.
    public var sequence: UInt64 { message.sequence }
    /// Whether it was posted so that suspended processes get it as well.
    public var deliversImmediately: Bool { message.isImmediate }
    /// What it carries, encoded.
    public var payload: DistributedPayload { message.payload }
    /// What the payload's bytes are.
    package var payloadKind: PayloadKind { message.kind }

    /// What it carries, as a dictionary. Decoded anew each time.
    ///
    /// - Throws: when the sender's bytes are malformed.
    public var userInfo: [AnyHashable: Any]? { get throws { try message.userInfo } }

    /// Calls `body` with the payload's bytes, as they are encoded; without a copy where the handler
    /// runs on the thread that receives (`on: .poster`). They are valid until it returns.
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try message.withBytes(body)
    }

    /// What it carries, as a message; nil when it was posted with something else. Decoded anew each
    /// time.
    ///
    /// - Throws: when the message's own decoding does.
    public func message<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        try payload.message(type)
    }
}

/// Calls a closure with notifications as they came.
final class ReceivedHandler: AnyNamedHandler {
    private let body: (ReceivedNotification) throws -> Void
    private let ownPeer: DistributedPeer

    init(ownPeer: DistributedPeer, _ body: @escaping (ReceivedNotification) throws -> Void) {
        self.ownPeer = ownPeer
        self.body = body
    }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        // The caller has a reference: to count another takes as long as the rest.
        let message = payload.message.map { Unmanaged.passUnretained($0) }
        if var borrowed = message,
            borrowed._withUnsafeGuaranteedRef({ type(of: $0) == ReceivedMessage.self })
        {
            // A struct of one reference.
            try withUnsafeMutableBytes(of: &borrowed) { bytes in
                try Self.call(body, &bytes.assumingMemoryBound(to: ReceivedNotification.self)[0])
            }
        } else {
            try body(ReceivedNotification(ownMessage(payload)))
        }
        return .delivered
    }

    // Never inlined: see `NamedPayload`.
    @inline(never)
    private static func call(
        _ body: (ReceivedNotification) throws -> Void, _ notification: inout ReceivedNotification
    ) throws {
        try body(notification)
    }

    /// One of this process's own, as if it had come from another.
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
