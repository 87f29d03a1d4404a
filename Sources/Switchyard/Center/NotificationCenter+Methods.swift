// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Calls a method of `observer` with every notification of a name, on `context`.
    ///
    /// ```swift
    /// center.observe(.converterAdded, of: converter, with: self, Controller.converterAdded)
    /// ```
    /// `observer` is held weakly, and strongly only while its method runs, so the observation ends
    /// with it; there is no token to keep.
    ///
    /// A method of the main actor is called there. A method of another global actor is not kept on
    /// that actor, and Swift 6.3 refuses it nowhere: use
    /// `observe(_:of:on:using:)` with that actor.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any. Not as `.init("Added")`: the compiler (6.3.1) then
    ///     takes any method for one of the main actor, and it is called there. Write a constant, or
    ///     `Notification.Name("Added")`.
    ///   - object: the object that it must have; nil for any or none.
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
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Notification) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Inlined where the method is named, so that the compiler sees which it is: a method that
        // is not known allocates a closure for each call.
        observe(
            name, of: object, calling: { try method($0)($1) }, .none, observer, on: context,
            options: options, fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every notification of a name, on `context`.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    @available(swift, obsoleted: 6)
    @inlinable
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Notification) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(
            method, to: ((Observer) -> (Notification) throws -> Void).self)
        return observe(
            name, of: object, calling: { try plain($0)($1) },
            MethodIsolation(of: method(observer)), observer, on: context, options: options,
            fileID: fileID, line: line)
    }
}

// MARK: - On the main actor

extension NotificationCenter {
    /// Calls a method of `observer` on the main actor with every notification of a name. Methods of
    /// a `@MainActor` class are called there without saying so.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Notification) throws -> Void,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, object, observer, onMain: method, options, RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the main actor with every notification of a name.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) throws -> Void,
        on context: MainContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The main mailbox is drained on the main actor alone.
        observe(
            name, object, NamedMethodHandler(observer) { try method($0)($1) }, .main, observer,
            options, RegistrationSite(fileID, line))
    }

    /// Calls a main-actor method on the main actor, whatever the context: it can't run elsewhere.
    @available(swift, introduced: 6)
    @available(
        *, deprecated,
        message: "a method of the main actor is called there: leave `on:` out, or write `on: .main`"
    )
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Notification) throws -> Void,
        on context: DeliveryContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, object, observer, onMain: method, options, RegistrationSite(fileID, line))
    }

    /// Registers a main-actor method, for all forms that take one.
    private func observe<Observer: AnyObject>(
        _ name: NSNotification.Name?, _ object: Any?, _ observer: Observer,
        onMain method: @escaping (Observer) -> @MainActor (Notification) throws -> Void,
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> ObservationToken {
        let call = MainIsolation.method(method)
        return observe(
            name, object, NamedMethodHandler(observer) { try call($0)($1) }, .main, observer,
            options, origin)
    }
}

// MARK: - On this thread

extension NotificationCenter {
    /// Calls a method of `observer` on the calling thread's run loop with every notification of a
    /// name. The observer stays on this thread, so it need not be `Sendable`.
    @available(swift, introduced: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Observer: AnyObject>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            name, object, observer, confined: method, .none, context, options,
            RegistrationSite(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every notification of a
    /// name. The observer stays on this thread, so it need not be `Sendable`.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    @available(swift, obsoleted: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func observe<Observer: AnyObject>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Notification) throws -> Void,
        on context: consuming ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The context is `consuming` to tell this form from that of Swift 6, for no other reason.
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(
            method, to: ((Observer) -> (Notification) throws -> Void).self)
        return observe(
            name, object, observer, confined: plain, MethodIsolation(of: method(observer)),
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
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Notification) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(name, object, observer, onMain: method, options, RegistrationSite(fileID, line))
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
    public func observe<Observer: AnyObject>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Notification) throws -> Void,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        context.checkIsMain(origin)
        return observe(
            name, object, observer, confined: MainIsolation.method(method), .none, context, options,
            origin)
    }

    /// Registers a method that stays on this thread, for all forms that take one.
    private func observe<Observer: AnyObject>(
        _ name: NSNotification.Name?, _ object: Any?, _ observer: Observer,
        confined method: @escaping (Observer) -> (Notification) throws -> Void,
        _ isolation: MethodIsolation, _ context: ThisThreadContext,
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> ObservationToken {
        let mailbox = engine.mailbox(of: .mailbox(context.mailbox), isolation, origin)
        let call: (Observer, Notification) throws -> Void = context.confine(
            method, calledOn: mailbox)
        return observe(
            name, object, NamedMethodHandler(observer, calling: call), mailbox, observer, options,
            origin)
    }
}

// MARK: - In place of a selector

extension NotificationCenter {
    /// Calls a method of `observer` with every notification of a name and object.
    ///
    /// Apple's method with a selector, which Linux does not have: in place of `#selector(added)`,
    /// the method itself is given, `Controller.added`. `observer` is held weakly; the registration
    /// ends with it, or when it is removed.
    ///
    /// ```swift
    /// center.addObserver(self, selector: Controller.added, name: .converterAdded, object: nil)
    /// ```
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> (Notification) -> Void,
        name: NSNotification.Name?, object: Any?,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, of: object, with: observer, method, fileID: fileID, line: line)
    }

    /// Calls a method of `observer`, of a class of the main actor, on the main actor.
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> @MainActor (Notification) -> Void,
        name: NSNotification.Name?, object: Any?,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, of: object, with: observer, method, fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every notification of a name and object.
    ///
    /// For the Swift 5 language mode. A method of the main actor is called there if all methods
    /// with these parameters that the class has are isolated alike; **otherwise write
    /// `observe(_:of:with:_:on:)` with `on: .main`**.
    @available(swift, obsoleted: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping (Observer) -> @isolated(any) (Notification) -> Void,
        name: NSNotification.Name?, object: Any?,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(name, of: object, with: observer, method, fileID: fileID, line: line)
    }
}
