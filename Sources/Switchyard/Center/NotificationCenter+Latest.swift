// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Posts a notification, and keeps it for observers that come late, until another of its name
    /// and object takes its place.
    ///
    /// ```swift
    /// center.post(name: .hostConnected, object: nil, userInfo: ["host": host], retaining: .latest)
    /// let token = center.observe(.hostConnected, options: .replayingLatest) { … }  // hears it, then what comes
    /// ```
    /// One notification is kept for each name and object. Observers that ask for a replay hear it
    /// (`ObservationOptions.replayingLatest`); a post without `retaining` leaves it as it is. An
    /// object that is an instance is not kept alive; some time after its end, the notification is
    /// let go, and not delivered any more. The notification is no dead letter if nobody hears it
    /// yet. In a subclass, this does not go through an overridden `post`.
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

    /// Posts a notification that is made already, and keeps it for observers that come late;
    /// otherwise as ``post(name:object:userInfo:retaining:)``.
    @discardableResult
    public func post(_ notification: Notification, retaining retention: Retention) -> PostReceipt {
        engine.post(retaining: notification)
    }

    /// Returns the latest notification of a name with `object` that was posted with
    /// `Retention.latest`; with nil, the one without an object. Returns nil if there is none.
    public func latest(_ name: NSNotification.Name, of object: Any? = nil) -> Notification? {
        let payload: NamedPayload? = engine.latest(Topic(name), Subject(optional: object))
        return payload?.notification
    }

    /// Forgets the latest notification of a name with `object`; with nil, the one without an
    /// object. Observers that register later do not hear it.
    ///
    /// - Returns: That notification; nil if there was none.
    @discardableResult
    public func removeLatest(_ name: NSNotification.Name, of object: Any? = nil) -> Notification? {
        let payload: NamedPayload? = engine.removeLatest(Topic(name), Subject(optional: object))
        return payload?.notification
    }
}
