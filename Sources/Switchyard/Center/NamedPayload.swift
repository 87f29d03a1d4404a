// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) internal import SwitchyardCore

/// What is delivered under a name: a notification, or a typed message that has a name.
enum NamedPayload {
    case notification(Notification)
    case message(NamedMessage)

    /// The notification, made from the message when it is the first to ask.
    var notification: Notification {
        switch self {
        case .notification(let notification): notification
        case .message(let message): message.notification
        }
    }

    /// What may wait in a mailbox: without the object when its deinit has begun, because keeping it
    /// would not keep it alive.
    func detached(objectIsGone: Bool) -> NamedPayload {
        switch self {
        case .message(let message) where message.isForMainActor && !objectIsGone:
            // Made here, on the main actor, for who asks for it elsewhere.
            _ = message.notification
            return self
        case _ where !objectIsGone:
            return self
        case .notification(var notification):
            notification.object = nil
            return .notification(notification)
        case .message(let message):
            let detached = message.withoutSubject()
            if message.isForMainActor { _ = detached.notification }
            return .message(detached)
        }
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

/// Calls a closure with notifications.
final class NamedHandler: Handler<NamedPayload> {
    private let body: (Notification) throws -> Void

    init(_ body: @escaping (Notification) throws -> Void) { self.body = body }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        try body(payload.notification)
        return .delivered
    }

    override func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        key(payload.notification)
    }
}

/// Shows notifications to a closure that is not to be noticed.
final class NamedWatcher: Handler<NamedPayload> {
    private let body: (Notification) -> Void

    init(_ body: @escaping (Notification) -> Void) { self.body = body }

    override func deliver(_ payload: NamedPayload) -> DeliveryOutcome {
        body(payload.notification)
        return .watched
    }
}

/// Calls a method of an object that is held weakly, and strongly only during the call.
final class NamedMethodHandler<Observer: AnyObject>: Handler<NamedPayload> {
    private weak let observer: Observer?
    private let method: (Observer) -> (Notification) throws -> Void

    init(_ observer: Observer, _ method: @escaping (Observer) -> (Notification) throws -> Void) {
        self.observer = observer
        self.method = method
    }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        guard let observer else { return .expired }
        try method(observer)(payload.notification)
        return .delivered
    }

    override func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        key(payload.notification)
    }
}
