// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The compiler comes here when the argument is not a method that any other form takes. It says what
// to write, in place of a list of all the forms.

extension MessageObserving {
    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes the message, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject, Method>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: Method, on context: DeliveryContext = .standard,
        options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }

    /// Unavailable: the argument is not a method of the observer.
    @available(
        *, unavailable,
        message:
            "the method takes the message, and returns nothing; name its class, as in Controller.changed, not Self.changed; an actor hears with a closure and on: actor"
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject, Method>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: Method, on context: MainContext, options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }
}
