// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) package import SwitchyardCore

// Named posts whose payload is kept for observers that come late.
extension NotificationEngine {
    /// Posts a notification and keeps it, through the interceptor if there is one.
    func post(retaining notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        namedInterceptor?.post(retaining: notification, for: wait, through: self)
            ?? postUnintercepted(retaining: notification, for: wait)
    }

    /// Posts a notification for which somebody waits, and keeps it if that was asked for.
    func post(
        _ notification: Notification, retaining retention: Retention?, for wait: PostWait
    ) -> PostReceipt {
        if retention == nil { return post(notification, for: wait) }
        return post(retaining: notification, for: wait)
    }

    /// Posts a message under its name and keeps it, through the interceptor if there is one.
    func post<Message>(
        retaining message: Message, subject: Subject, object: Any?,
        via conversion: NamedConversion<Message>, for wait: PostWait?
    ) -> PostReceipt {
        let message = TypedNamedMessage(message, object, conversion)
        return namedInterceptor?.post(
            retaining: message, conversion.name, about: subject, for: wait, through: self)
            ?? postUnintercepted(
                retaining: message, named: conversion.name, about: subject, for: wait)
    }

    /// Posts a notification to the observers of this engine alone, and keeps it.
    package func postUnintercepted(
        retaining notification: Notification, for wait: PostWait?
    ) -> PostReceipt {
        post(
            NamedPayload(notification), keeping: notification.object,
            Posting(
                .name(notification.name.rawValue), about: Subject(optional: notification.object),
                for: wait))
    }

    /// Posts a message under its name to the observers of this engine alone, and keeps it.
    package func postUnintercepted(
        retaining message: NamedMessage, named name: Notification.Name, about subject: Subject,
        for wait: PostWait?
    ) -> PostReceipt {
        post(
            NamedPayload(message), keeping: subject.isInstance ? message.notification.object : nil,
            Posting(
                .name(name.rawValue), about: subject, for: wait,
                isOnMainActor: message.isForMainActor))
    }

    /// - Parameter object: the object of the notification that late observers get.
    private func post(
        _ payload: NamedPayload, keeping object: Any?, _ posting: Posting
    ) -> PostReceipt {
        post(
            payload, retaining: RetainedNamedValue(payload, posting.subject, object: object),
            posting)
    }
}
