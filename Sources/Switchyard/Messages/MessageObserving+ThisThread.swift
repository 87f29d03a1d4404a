// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) public import SwitchyardCore

extension MessageObserving {
    /// Calls `handler` on the calling thread's run loop with every message of a type. The handler
    /// stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:on:options:fileID:line:using:)``.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on context: ThisThreadContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping (Message) throws -> Void
    ) -> ObservationToken {
        let confined = context.confine(handler)
        return engine.observe(
            ClosureHandler { try confined.value?($0) }, of: Subject(optional: subject),
            on: context.mailbox, options: options, origin: RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every message of a type.
    /// The observer stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:with:_:on:options:fileID:line:)``.
    @available(swift, introduced: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Message) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            type, subject, observer, confined: method, .none, context, options,
            RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every message of a type.
    /// The observer stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:with:_:on:options:fileID:line:)``.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    @available(swift, obsoleted: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Message) throws -> Void,
        on context: consuming ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The context is `consuming` to tell this form from that of Swift 6, for no other reason.
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(
            method, to: ((Observer) -> (Message) throws -> Void).self)
        return observe(
            type, subject, observer, confined: plain, MethodIsolation(of: method(observer)),
            context, options, RegistrationSite(fileID, line))
    }

    /// Calls a main-actor method on the main actor, whatever the context: it can't run elsewhere.
    @available(swift, introduced: 6)
    @available(
        *, deprecated,
        message: "a method of the main actor is called there: leave `on:` out, or write `on: .main`"
    )
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Message) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(type, subject, observer, method, options, RegistrationSite(fileID, line))
    }

    /// Calls a main-actor function for an observer that is not `Sendable`. (A main-actor method of
    /// such an observer is refused by the compiler.)
    ///
    /// - Precondition: The calling thread is the main one: such an observer can't be taken there.
    @available(swift, introduced: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Message) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        context.checkIsMain(origin)
        return observe(
            type, subject, observer, confined: MainIsolation.method(method), .none, context,
            options,
            origin)
    }

    /// Registers a method that stays on this thread, for all forms that take one.
    private func observe<Message: NotificationMessage, Observer: AnyObject>(
        _ type: Message.Type, _ subject: Message.Subject?, _ observer: Observer,
        confined method: @escaping (Observer) -> (Message) throws -> Void,
        _ isolation: MethodIsolation, _ context: ThisThreadContext,
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> ObservationToken {
        let mailbox = engine.mailbox(of: .mailbox(context.mailbox), isolation, origin)
        return engine.observe(
            MethodHandler(observer, calling: context.confine(method, calledOn: mailbox)),
            of: Subject(optional: subject), on: mailbox, observer: observer, options: options,
            origin: origin)
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
        _ method: Method, on context: ThisThreadContext, options: ObservationOptions = .standard
    ) -> ObservationToken {
        preconditionFailure("an unavailable method can't be called")
    }
}
