// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Notifications and messages in the form in which they travel.
extension DistributedInterceptor {
    /// The notification with its object as a string, and its post.
    static func outgoing(
        _ notification: Notification, isImmediate: Bool, for wait: PostWait?
    ) throws -> (Notification, OutgoingPost) {
        let object = try string(notification.object)
        var notification = notification
        notification.object = object
        let post = OutgoingPost(
            topic: .name(notification.name.rawValue), object: object,
            payload: try DistributedPayload(userInfo: notification.userInfo),
            isImmediate: isImmediate, wait: wait)
        return (notification, post)
    }

    /// The post of a message that has a name.
    static func outgoing(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?
    ) throws -> OutgoingPost {
        try OutgoingPost(
            topic: .name(name.rawValue), object: string(subject), payload: payload(of: message),
            wait: wait)
    }

    private static func payload(of message: NamedMessage) throws -> DistributedPayload {
        if let message = message.value as? any DistributedMessage {
            return try message.distributedPayload
        }
        return try DistributedPayload(userInfo: message.notification.userInfo)
    }

    private static func string(_ subject: Subject) throws -> String? {
        if !subject.isNone, subject.string == nil { throw objectIsNoString("\(subject)") }
        return subject.string
    }

    private static func string(_ object: Any?) throws -> String? {
        guard let object else { return nil }
        if let string = object as? String { return string }
        if let string = object as? NSString { return String(describing: string) }
        throw objectIsNoString("a \(type(of: object))")
    }

    private static func objectIsNoString(_ what: String) -> DistributedPostError {
        DistributedPostError(
            .objectIsNoString,
            "its object is \(what): between processes it is a string, because instances mean nothing "
                + "to another; name what it is about, and put the rest into userInfo")
    }
}
