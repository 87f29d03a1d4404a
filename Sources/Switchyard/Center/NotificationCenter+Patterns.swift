// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Calls `handler` with every notification whose name fits a pattern, on `context`.
    ///
    /// ```swift
    /// let token = center.observe(matching: "folio.document.*", on: .main) { notification in … }
    /// ```
    /// `*` stands for one part of a name between dots, and `>`, at the end, for one or more. While
    /// a center has observers of patterns, each named post looks once for each shape of pattern,
    /// that is for each set of positions of wildcards, however many patterns there are. What
    /// Foundation and other libraries post on Foundation's center is heard only under names that
    /// are observed themselves.
    ///
    /// - Parameters:
    ///   - pattern: the pattern of names. At most 48 shapes of patterns, by the number of their
    ///     parts and the positions of their wildcards, can be observed at once on a center; one
    ///     more stops the program.
    ///   - object: the object that it must have; nil for any or none.
    ///   - context: the context on which `handler` runs.
    ///   - options: as with a name.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes.
    public func observe(
        matching pattern: NamePattern, of object: Any? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            pattern, object, NamedHandler(handler), engine.mailbox(of: context), nil, options,
            RegistrationSite(fileID, line))
    }

    /// Calls `handler` on the main actor with every notification whose name fits a pattern;
    /// otherwise as ``observe(matching:of:on:options:fileID:line:using:)`` with another context.
    public func observe(
        matching pattern: NamePattern, of object: Any? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            pattern, object, NamedHandler(MainIsolation.body(handler)), .main, nil, options,
            RegistrationSite(fileID, line))
    }

    /// Calls an async `handler` with every notification whose name fits a pattern: one call at a
    /// time, in the order of posting; otherwise as
    /// ``observe(matching:of:on:options:fileID:line:using:)`` with another context.
    public func observe(
        matching pattern: NamePattern, of object: Any? = nil, on context: TaskContext = .pool,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) async throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return observe(
            pattern, object, AsyncNamedHandler(AsyncClosureHandler(handler)),
            context.mailbox(options, origin), nil, options, origin)
    }

    /// Calls a method of `observer` with every notification whose name fits a pattern, on
    /// `context`. `observer` is held weakly, and strongly only while its method runs, so the
    /// observation ends with it.
    ///
    /// - Returns: A token to end the observation earlier.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Notification) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            pattern, object, NamedMethodHandler(observer) { try method($0)($1) },
            engine.mailbox(of: context), observer, options, RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` with every notification whose name fits a pattern, on
    /// `context`.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Notification) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(
            method, to: ((Observer) -> (Notification) throws -> Void).self)
        let origin = RegistrationSite(fileID, line)
        return observe(
            pattern, object, NamedMethodHandler(observer) { try plain($0)($1) },
            engine.mailbox(of: context, MethodIsolation(of: method(observer)), origin), observer,
            options, origin)
    }

    /// Calls a method of `observer` with every notification whose name fits a pattern, on the main
    /// actor.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) throws -> Void,
        on context: MainContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The main mailbox is drained on the main actor alone.
        observe(
            pattern, object, NamedMethodHandler(observer) { try method($0)($1) }, .main, observer,
            options, RegistrationSite(fileID, line))
    }

    /// Calls a main-actor method of `observer` with every notification whose name fits a pattern;
    /// otherwise as ``observe(matching:of:with:_:on:options:fileID:line:)`` with another context.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Notification) throws -> Void,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let method = MainIsolation.method(method)
        return observe(
            pattern, object, NamedMethodHandler(observer) { try method($0)($1) }, .main, observer,
            options, RegistrationSite(fileID, line))
    }

    /// Calls an async method of `observer` with every notification whose name fits a pattern: one
    /// call at a time, in the order of posting; otherwise as
    /// ``observe(matching:of:with:_:on:options:fileID:line:)`` with another context.
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Notification) async throws -> Void,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        let handler = AsyncMethodHandler<Observer, Notification>(observer) {
            try await method($0)($1)
        }
        return observe(
            pattern, object, AsyncNamedHandler(handler), context.mailbox(options, origin),
            observer, options, origin)
    }

    /// Calls `handler` on `actor` with every notification whose name fits a pattern. The handler
    /// takes the actor and may use its state; the actor is held weakly, and the observation ends
    /// with it.
    ///
    /// - Returns: A token to end the observation earlier.
    @discardableResult
    public func observe<Isolation: Actor>(
        matching pattern: NamePattern, of object: Any? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            pattern, object, NamedMethodHandler(actor, IsolatedCall.method(handler)),
            DeliveryContext.actor(actor).mailbox, actor, options, RegistrationSite(fileID, line))
    }

    /// Calls `handler` with every notification whose name fits a pattern, on the posting thread,
    /// and lets it end the post there; otherwise as ``consume(_:of:priority:fileID:line:using:)``,
    /// with a pattern as in ``observe(matching:of:on:options:fileID:line:using:)``.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func consume(
        matching pattern: NamePattern, of object: Any? = nil, priority: Int = 0,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) throws -> Consumption
    ) -> ObservationToken {
        observe(
            pattern, object, NamedConsumingHandler(handler), nil, nil,
            .consuming(priority: priority), RegistrationSite(fileID, line))
    }

    /// Calls `handler` on the calling thread's run loop with every notification whose name fits a
    /// pattern. The handler stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(matching:of:on:options:fileID:line:using:)``.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public func observe(
        matching pattern: NamePattern, of object: Any? = nil, on context: ThisThreadContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping (Notification) throws -> Void
    ) -> ObservationToken {
        let confined = context.confine(handler)
        return observe(
            pattern, object, NamedHandler { try confined.value?($0) }, context.mailbox, nil,
            options, RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every notification whose
    /// name fits a pattern. The observer stays on this thread, so it need not be `Sendable`;
    /// otherwise as ``observe(matching:of:with:_:on:options:fileID:line:)``.
    ///
    /// - Returns: A token to end the observation earlier.
    @available(swift, introduced: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Observer: AnyObject>(
        matching pattern: NamePattern, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let method: (Observer, Notification) throws -> Void = context.confine(
            method, calledOn: context.mailbox)
        return observe(
            pattern, object, NamedMethodHandler(observer, calling: method), context.mailbox,
            observer, options, RegistrationSite(fileID, line))
    }

    /// Registers a handler of notifications of a pattern.
    func observe(
        _ pattern: NamePattern, _ object: Any?, _ handler: AnyNamedHandler,
        _ mailbox: SharedMailbox?, _ observer: AnyObject?, _ options: ObservationOptions,
        _ origin: RegistrationSite
    ) -> ObservationToken {
        options.check(for: Notification.self, origin)
        let observation = engine.add(
            handler, topic: pattern.topic, subject: Subject(optional: object), mailbox: mailbox,
            observer: observer, options: options, origin: origin)
        return ObservationToken(observation, endsObservation: observer == nil)
    }
}
