// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) package import SwitchyardCore

// Named posts whose payload is kept for observers that come late.
extension NotificationEngine {
    /// Posts a notification and keeps it, through the interceptor if there is one.
    func post(retaining notification: Notification) -> PostReceipt {
        namedInterceptor?.post(retaining: notification, through: self)
            ?? postUnintercepted(retaining: notification)
    }

    /// Posts a message under its name and keeps it, through the interceptor if there is one.
    func post<Message>(
        retaining message: Message, subject: Subject, object: Any?,
        via conversion: NamedConversion<Message>
    ) -> PostReceipt {
        let message = TypedNamedMessage(message, object, conversion)
        return namedInterceptor?.post(
            retaining: message, conversion.name, about: subject, through: self)
            ?? postUnintercepted(retaining: message, named: conversion.name, about: subject)
    }

    /// Posts a notification to the observers of this engine alone, and keeps it.
    package func postUnintercepted(retaining notification: Notification) -> PostReceipt {
        post(
            retaining: NamedPayload(notification), named: notification.name,
            about: Subject(optional: notification.object), object: notification.object)
    }

    /// Posts a message under its name to the observers of this engine alone, and keeps it.
    package func postUnintercepted(
        retaining message: NamedMessage, named name: Notification.Name, about subject: Subject
    ) -> PostReceipt {
        post(
            retaining: NamedPayload(message), named: name, about: subject,
            object: subject.isInstance ? message.notification.object : nil)
    }

    private func post(
        retaining payload: NamedPayload, named name: Notification.Name, about subject: Subject,
        object: Any?
    ) -> PostReceipt {
        post(
            payload, retaining: RetainedNamedValue(payload, subject, object: object),
            Posting(.name(name.rawValue), about: subject))
    }
}
