// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The payload that is delivered under a name: a notification, or a typed message that has a name.
///
/// A structure, not an enumeration: taking a notification out of an enumeration copies it, and
/// counts references for name, object and `userInfo`.
@_spi(Engine) public struct NamedPayload {
    /// The posted notification, unless a message was posted. The first property, for
    /// ``withBorrowed(name:object:userInfo:_:)``.
    private let posted: Notification
    /// The message, if a message was posted.
    public let message: NamedMessage?

    @inline(__always)
    package init(_ notification: Notification) {
        posted = notification
        message = nil
    }

    package init(_ message: NamedMessage) {
        posted = Self.nothing
        self.message = message
    }

    // Unsafe to the compiler because of its object and `userInfo`, of which it has none.
    nonisolated(unsafe) private static let nothing = Notification(name: Notification.Name(""))

    /// The notification, made from the message when it is the first to ask.
    package var notification: Notification { message?.notification ?? posted }

    /// Calls `body` with the notification.
    @inline(__always)
    func withNotification<Failure: Error>(
        _ body: (Notification) throws(Failure) -> Void
    ) throws(Failure) {
        if let message { try body(message.notification) } else { try body(posted) }
    }

    /// The form of the payload that may wait in a mailbox: without the object when its deinit has
    /// begun, because keeping it would not keep it alive. Some messages can't wait, such as one of
    /// the main actor, which stays there; the notification that stands for it, made here, waits
    /// instead of it.
    package func detached(objectIsGone: Bool) -> NamedPayload {
        if let message {
            let payload = detachedMessage(objectIsGone: objectIsGone)
            return message.convertsBeforeWaiting ? NamedPayload(payload.notification) : payload
        }
        guard objectIsGone else { return self }
        var notification = posted
        notification.object = nil
        return NamedPayload(notification)
    }

    /// This payload about another object, `object`.
    func about(_ object: AnyObject) -> NamedPayload {
        if let message { return NamedPayload(message.about(object)) }
        var notification = posted
        notification.object = object
        return NamedPayload(notification)
    }

    /// The message as it may wait in a mailbox for observers of its type.
    func detachedMessage(objectIsGone: Bool) -> NamedPayload {
        guard objectIsGone, let message else { return self }
        return NamedPayload(message.withoutSubject())
    }
}

extension Notification {
    /// This notification as it may be kept: without the object when its deinit has begun, because
    /// keeping it would not keep it alive.
    package var storable: Notification {
        guard object.map({ Subject($0).isGone }) == true else { return self }
        return Notification(name: name, object: nil, userInfo: userInfo)
    }
}
