// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

/// The interceptor of named posts. Every ``PostInterceptor`` is one.
@_spi(Engine) open class NamedInterceptor: PostInterceptor, @unchecked Sendable {
    // Sendable: as its superclass.

    /// Posts a notification.
    open func post(
        _ notification: Notification, for wait: PostWait?, through engine: _NotificationEngine
    ) -> PostReceipt {
        preconditionFailure("a NamedInterceptor subclass overrides post(_:for:through:)")
    }

    /// Posts a message under its name.
    open func post(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: _NotificationEngine
    ) -> PostReceipt {
        preconditionFailure("a NamedInterceptor subclass overrides post(_:_:about:for:through:)")
    }

    /// Posts a notification, which is kept for observers that come late.
    open func post(
        retaining notification: Notification, for wait: PostWait?,
        through engine: _NotificationEngine
    ) -> PostReceipt {
        preconditionFailure("a NamedInterceptor subclass overrides post(retaining:for:through:)")
    }

    /// Posts a message under its name, which is kept for observers that come late.
    open func post(
        retaining message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: _NotificationEngine
    ) -> PostReceipt {
        preconditionFailure(
            "a NamedInterceptor subclass overrides post(retaining:_:about:for:through:)")
    }
}
