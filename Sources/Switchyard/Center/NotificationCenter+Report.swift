// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Posts as ``post(name:object:userInfo:)`` does and says what that did.
    ///
    /// In a subclass, this does not go through an overridden `post`.
    @discardableResult
    public func postAndReport(
        name: NSNotification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil
    ) -> PostReceipt {
        let receipt = engine.post(named: name.rawValue, about: Subject(optional: object)) {
            NamedPayload.withBorrowed(name: name, object: object, userInfo: userInfo, $0)
        }
        if postsToFoundation {
            postToFoundation(Notification(name: name, object: object, userInfo: userInfo))
        }
        return receipt
    }

    /// Posts as ``post(_:)-(Notification)`` does and says what that did.
    ///
    /// In a subclass, this does not go through an overridden `post`.
    @discardableResult
    public func postAndReport(_ notification: Notification) -> PostReceipt {
        post(notification, for: nil)
    }

    /// Posts here, and, if that was asked for, on Foundation's center.
    func post(_ notification: Notification, for wait: PostWait?) -> PostReceipt {
        let receipt = engine.post(notification, for: wait)
        if postsToFoundation { postToFoundation(notification) }
        return receipt
    }

    /// Posts a notification that has waited, of which topic and subject are known; through an
    /// overridden `post`, if there is one.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) {
        if isSubclass { return post(notification) }
        _ = engine.post(notification, topic, subject)
        if postsToFoundation { postToFoundation(notification) }
    }
}
