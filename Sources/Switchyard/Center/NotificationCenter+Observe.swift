// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Calls `handler` with every notification of a name, where `context` says.
    ///
    /// ```swift
    /// let token = center.observe(.converterAdded, on: .thread(worker)) { notification in … }
    /// ```
    /// A notification that crosses threads is as unchecked as with Apple's `queue:`: its object and
    /// `userInfo` must be safe to use on both.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing. An instance is matched by
    ///     identity and not kept alive, another hashable value by equality.
    ///   - context: where `handler` runs.
    ///   - options: once, priority, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: what is called. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes.
    /// - Complexity: O(1) amortised.
    public func observe(
        _ name: NSNotification.Name?, of object: Any? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedHandler(handler), engine.mailbox(of: context), nil, options,
            RegistrationPlace(fileID, line))
    }

    /// Calls a method of `observer` with every notification of a name, where `context` says.
    ///
    /// ```swift
    /// center.observe(.converterAdded, of: converter, with: self, Controller.converterAdded)
    /// ```
    /// `observer` is held weakly, and strongly only while its method runs, so the observation ends
    /// with it; there is no token to keep.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - observer: whose method is called.
    ///   - method: what is called. An error it throws goes to the center's problem hook.
    ///   - context: where `method` runs.
    ///   - options: once, priority, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: A token to end the observation earlier.
    /// - Complexity: O(1) amortised.
    @inlinable
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) throws -> Void,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Inlined where the method is named, so that the compiler sees which it is: a method that is
        // not known allocates a closure for each call.
        observe(
            name, of: object, calling: { try method($0)($1) }, observer, on: context,
            options: options, fileID: fileID, line: line)
    }

    /// What is behind ``observe(_:of:with:_:on:options:fileID:line:)``.
    @usableFromInline
    func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any?,
        calling call: @escaping (Observer, Notification) throws -> Void, _ observer: Observer,
        on context: DeliveryContext, options: ObservationOptions, fileID: StaticString, line: UInt
    ) -> ObservationToken {
        observe(
            name, object, NamedMethodHandler(observer, calling: call), engine.mailbox(of: context),
            observer,
            options, RegistrationPlace(fileID, line))
    }

    /// Registers a handler of notifications.
    func observe(
        _ name: NSNotification.Name?, _ object: Any?, _ handler: AnyNamedHandler,
        _ mailbox: DeliveryMailbox?, _ observer: AnyObject?, _ options: ObservationOptions,
        _ origin: RegistrationPlace
    ) -> ObservationToken {
        options.check(for: Notification.self, origin)
        let observation = engine.add(
            handler, topic: Topic(name), subject: Subject(optional: object), mailbox: mailbox,
            observer: observer, options: options, origin: origin)
        return ObservationToken(observation, endsObservation: observer == nil)
    }
}

// MARK: - On the main actor

extension NotificationCenter {
    /// Calls `handler` on the main actor with every notification of a name. The handler may use
    /// main-actor state; otherwise as ``observe(_:of:on:options:fileID:line:using:)``.
    public func observe(
        _ name: NSNotification.Name?, of object: Any? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedHandler(MainIsolation.body(handler)), .main, nil, options,
            RegistrationPlace(fileID, line))
    }

    /// Calls a method of `observer` on the main actor with every notification of a name. Methods of
    /// a `@MainActor` class are called there without saying so.
    ///
    /// Otherwise as ``observe(_:of:with:_:on:options:fileID:line:)``.
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Notification) throws -> Void,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            name, object, NamedMethodHandler(observer, MainIsolation.method(method)), .main,
            observer, options, RegistrationPlace(fileID, line))
    }
}

// MARK: - On this thread

extension NotificationCenter {
    /// Calls `handler` on the calling thread's run loop with every notification of a name. The
    /// handler stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:on:options:fileID:line:using:)``.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public func observe(
        _ name: NSNotification.Name?, of object: Any? = nil, on context: ThisThreadContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping (Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedHandler(handler), context.mailbox, nil, options,
            RegistrationPlace(fileID, line))
    }

    /// Calls a method of `observer` on the calling thread's run loop with every notification of a
    /// name. The observer stays on this thread, so it need not be `Sendable`; otherwise as
    /// ``observe(_:of:with:_:on:options:fileID:line:)``.
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
            name, object, NamedMethodHandler(observer, method), context.mailbox, observer, options,
            RegistrationPlace(fileID, line))
    }
}
