// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Posts as ``post(name:object:userInfo:)`` does, and returns a receipt of what that did.
    ///
    /// In a subclass, this does not go through an overridden `post`.
    @discardableResult
    public func postAndReport(
        name: NSNotification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil
    ) -> PostReceipt {
        engine.post(name: name, object: object, userInfo: userInfo)
    }

    /// Posts as ``post(_:)-(Notification)`` does, and returns a receipt of what that did.
    ///
    /// In a subclass, this does not go through an overridden `post`.
    @discardableResult
    public func postAndReport(_ notification: Notification) -> PostReceipt {
        engine.post(notification)
    }

    /// Posts a notification that has waited, of which topic and subject are known; through an
    /// overridden `post`, if there is one.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) {
        if isSubclass { return post(notification) }
        if engine.interceptsPosts {
            _ = engine.post(notification)
        } else {
            _ = engine.post(notification, topic, subject)
        }
    }
}
