// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

// The compiler comes here when the argument is not a method that any other form takes. It says what
// to write, in place of a list of all the forms.

extension NotificationCenter {
    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes a Notification, an NSNotification, or nothing, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Observer: AnyObject, Method>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: Method, on context: DeliveryContext = .standard,
        options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }

    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes a Notification, an NSNotification, or nothing, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Observer: AnyObject, Method>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: Method, on context: MainContext, options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }

    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes a Notification, an NSNotification, or nothing, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Observer: AnyObject, Method>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: Method, on context: ThisThreadContext, options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }

    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes a Notification, an NSNotification, or nothing, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    public func addObserver<Observer: AnyObject, Method>(
        _ observer: Observer, selector method: Method, name: NSNotification.Name?, object: Any?
    ) {
        preconditionFailure("an unavailable method can't be called")
    }
}
