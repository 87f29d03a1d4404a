// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Posts a notification, and keeps it for observers that come late, until another of its name and object takes
    /// its place.
    ///
    /// ```swift
    /// center.post(name: .hostConnected, object: nil, userInfo: ["host": host], retaining: .latest)
    /// let token = center.observe(.hostConnected, options: .replayingLatest) { … }  // hears it, then what comes
    /// ```
    /// Observers hear it late that ask for that (`ObservationOptions.replayingLatest`); a post
    /// without `retaining` leaves it as it is. An object that is an instance is not kept alive; some time after its
    /// end, the notification is let go, and it is not delivered any more. Otherwise the same as a post. It is no dead
    /// letter if nobody hears it yet. In a subclass, this does not go through an overridden `post`.
    ///
    /// - Returns: A receipt of what the post did.
    /// - Complexity: O(observers that match). Takes the lock under which observers are added.
    @discardableResult
    public func post(
        name: NSNotification.Name, object: Any? = nil, userInfo: [AnyHashable: Any]? = nil,
        retaining retention: Retention
    ) -> PostReceipt {
        post(Notification(name: name, object: object, userInfo: userInfo), retaining: retention)
    }

    /// Posts a notification, and keeps it for observers that come late; the same as
    /// ``post(name:object:userInfo:retaining:)``.
    @discardableResult
    public func post(_ notification: Notification, retaining retention: Retention) -> PostReceipt {
        engine.post(retaining: notification)
    }

    /// The latest notification of a name that was posted with `Retention.latest` and with `object`, or, if that is
    /// nil, without an object; nil if there is none.
    public func latest(_ name: NSNotification.Name, of object: Any? = nil) -> Notification? {
        let payload: NamedPayload? = engine.latest(Topic(name), Subject(optional: object))
        return payload?.notification
    }

    /// Keeps the latest notification of a name with `object`, or, if that is nil, without an object, no longer:
    /// observers that come late do not hear it.
    ///
    /// - Returns: That notification; nil if there was none.
    @discardableResult
    public func removeLatest(_ name: NSNotification.Name, of object: Any? = nil) -> Notification? {
        let payload: NamedPayload? = engine.removeLatest(Topic(name), Subject(optional: object))
        return payload?.notification
    }
}
