// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) public import SwitchyardCore

// MARK: - On the main actor

extension MessageObserving {
    /// Calls `handler` on the main actor with every message of a type. The handler may use
    /// main-actor state; otherwise as ``observe(_:of:on:options:fileID:line:using:)``.
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Message) throws -> Void
    ) -> ObservationToken {
        engine.observe(
            ClosureHandler(MainIsolation.body(handler)), of: Subject(optional: subject),
            on: .main, options: options, origin: RegistrationPlace(fileID, line))
    }

    /// Calls a method of `observer` on the main actor with every message of a type. Methods of a
    /// `@MainActor` class are called there without saying so.
    ///
    /// Otherwise as ``observe(_:of:with:_:on:options:fileID:line:)``.
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Message) throws -> Void,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        engine.observe(
            MethodHandler(observer, MainIsolation.method(method)), of: Subject(optional: subject),
            on: .main, observer: observer, options: options,
            origin: RegistrationPlace(fileID, line))
    }
}

// MARK: - On this thread

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
        engine.observe(
            ClosureHandler(handler), of: Subject(optional: subject), on: context.mailbox,
            options: options, origin: RegistrationPlace(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every message of a type.
    /// The observer stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:with:_:on:options:fileID:line:)``.
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
        engine.observe(
            MethodHandler(observer, method), of: Subject(optional: subject),
            on: context.mailbox, observer: observer, options: options,
            origin: RegistrationPlace(fileID, line))
    }
}
