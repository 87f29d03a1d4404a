// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Each form stands here twice. Under Swift 6 the method is `@Sendable`: it is called on other
// threads. Under Swift 5 that would be a warning for every method of a class that is not
// `Sendable`.

extension MessageObserving {
    /// Calls a method of `observer` with every message of a type, on `context`.
    ///
    /// ```swift
    /// center.observe(ConverterAdded.self, with: self, Controller.converterAdded)
    /// ```
    /// `observer` is held weakly, and strongly only while its method runs, so the observation ends
    /// with it; there is no token to keep.
    ///
    /// A method of the main actor is called there. A method of another global actor is not kept on
    /// that actor, and Swift 6.3 refuses it nowhere: use
    /// `observe(_:of:on:options:fileID:line:using:)` with that actor.
    ///
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none. Not as `.init()`: the
    ///     compiler (6.3.1) then takes any method for one of the main actor. Write the type's name.
    ///   - observer: the object whose method is called.
    ///   - method: the method to call. An error it throws goes to the center's problem hook.
    ///   - context: the context on which `method` runs.
    ///   - options: once, priority, bounds, pace, owner, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: A token to end the observation earlier.
    /// - Complexity: O(1) amortised.
    @available(swift, introduced: 6)
    @inlinable
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Message) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Inlined where the method is named, so that the compiler sees which it is: a method that
        // is not known allocates a closure for each call.
        observe(
            type, of: subject, calling: { try method($0)($1) }, .none, observer, on: context,
            options: options, fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every message of a type, on `context`.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    ///
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - observer: the object whose method is called.
    ///   - method: the method to call. An error it throws goes to the center's problem hook.
    ///   - context: the context on which `method` runs.
    ///   - options: once, priority, bounds, pace, owner, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: A token to end the observation earlier.
    /// - Complexity: O(1) amortised.
    @available(swift, obsoleted: 6)
    @inlinable
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Message) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(method, to: ((Observer) -> (Message) throws -> Void).self)
        return observe(
            type, of: subject, calling: { try plain($0)($1) },
            MethodIsolation(of: method(observer)), observer, on: context, options: options,
            fileID: fileID, line: line)
    }

    /// Registers a method for `observe(_:of:with:_:on:options:fileID:line:)`.
    @usableFromInline
    func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject?,
        calling call: @escaping (Observer, Message) throws -> Void, _ isolation: MethodIsolation,
        _ observer: Observer,
        on context: DeliveryContext, options: ObservationOptions, fileID: StaticString, line: UInt
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return engine.observe(
            MethodHandler(observer, calling: call), of: Subject(optional: subject),
            on: engine.mailbox(of: context, isolation, origin), observer: observer,
            options: options, origin: origin)
    }
}

// MARK: - On the main actor

extension MessageObserving {
    /// Calls a method of `observer` on the main actor with every message of a type. Methods of a
    /// `@MainActor` class are called there without saying so.
    ///
    /// Otherwise as `observe(_:of:with:_:on:options:fileID:line:)` with another context.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Message) throws -> Void,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(type, subject, observer, method, options, RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the main actor with every message of a type.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Message) throws -> Void,
        on context: MainContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The main mailbox is drained on the main actor alone.
        engine.observe(
            MethodHandler(observer, method), of: Subject(optional: subject), on: .main,
            observer: observer, options: options, origin: RegistrationSite(fileID, line))
    }

    /// Calls a main-actor method on the main actor, whatever the context: it can't run elsewhere.
    @available(swift, introduced: 6)
    @available(
        *, deprecated,
        message: "a method of the main actor is called there: leave `on:` out, or write `on: .main`"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Message) throws -> Void,
        on context: DeliveryContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(type, subject, observer, method, options, RegistrationSite(fileID, line))
    }

    /// Registers a main-actor method, for all forms that take one.
    package func observe<Message: NotificationMessage, Observer: AnyObject>(
        _ type: Message.Type, _ subject: Message.Subject?, _ observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Message) throws -> Void,
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> ObservationToken {
        engine.observe(
            MethodHandler(observer, MainIsolation.method(method)), of: Subject(optional: subject),
            on: .main, observer: observer, options: options, origin: origin)
    }
}
