// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// MARK: - Async handlers

extension MessageObserving {
    /// Calls an async `handler` with every message of a type: one call at a time, in the order of
    /// posting, each when the one before has returned.
    ///
    /// ```swift
    /// let token = center.observe(FileChanged.self) { message in try await upload(message.path) }
    /// ```
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - context: the context on which `handler` runs, unless it is isolated.
    ///   - options: once, priority, bounds, pace; ``ObservationOptions/isConcurrent`` for calls
    ///     side by side.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes. A call under way is
    ///   not cancelled by that.
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on context: TaskContext = .pool,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Message) async throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return engine.observe(
            AsyncClosureHandler(handler), of: Subject(optional: subject),
            on: context.mailbox(options, origin), options: options, origin: origin)
    }

    /// Calls an async method of `observer` with every message of a type: one call at a time, in the
    /// order of posting. `observer` is held weakly, and strongly only while its method runs.
    ///
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - observer: the object whose method is called.
    ///   - method: the method to call. An error it throws goes to the center's problem hook.
    ///   - context: the context on which `method` runs, unless it is isolated.
    ///   - options: once, priority, bounds, pace; ``ObservationOptions/isConcurrent`` for calls
    ///     side by side.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: A token to end the observation earlier.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Message) async throws -> Void,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            Subject(optional: subject), asyncMethod: method, observer, context, options,
            RegistrationSite(fileID, line))
    }

    /// Calls an async method of `observer` with every message of a type: one call at a time, in the
    /// order of posting.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Message) async throws -> Void,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // A method that is named captures nothing; this mode does not check that it is one.
        nonisolated(unsafe) let method = method
        return observe(
            Subject(optional: subject), asyncMethod: { method($0) }, observer, context, options,
            RegistrationSite(fileID, line))
    }

    private func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ subject: Subject,
        asyncMethod method: @escaping @Sendable (Observer) -> (Message) async throws -> Void,
        _ observer: Observer, _ context: TaskContext, _ options: ObservationOptions,
        _ origin: RegistrationSite
    ) -> ObservationToken {
        engine.observe(
            AsyncMethodHandler(observer) { try await method($0)($1) },
            of: subject, on: context.mailbox(options, origin), observer: observer,
            options: options, origin: origin)
    }
}

// MARK: - On an actor

extension MessageObserving {
    /// Calls `handler` on `actor` with every message of a type. The handler takes the actor and may
    /// use its state.
    ///
    /// ```swift
    /// center.observe(Deposit.self, on: account) { account, deposit in account.balance += deposit.sum }
    /// ```
    /// Messages come in the order of posting, to all such handlers of the actor. The actor is held
    /// weakly, and the observation ends with it; there is no token to keep.
    ///
    /// - Returns: A token to end the observation earlier.
    @discardableResult
    public func observe<Message: NotificationMessage, Isolation: Actor>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Message) throws -> Void
    ) -> ObservationToken {
        engine.observe(
            MethodHandler(actor, IsolatedCall.method(handler)), of: Subject(optional: subject),
            on: DeliveryContext.actor(actor).mailbox, observer: actor, options: options,
            origin: RegistrationSite(fileID, line))
    }

    /// Calls an async `handler` on `actor` with every message of a type: one call at a time, in the
    /// order of posting. The handler takes the actor and may use its state; the actor is held
    /// weakly.
    ///
    /// - Returns: A token to end the observation earlier.
    @discardableResult
    public func observe<Message: NotificationMessage, Isolation: Actor>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Message) async throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return engine.observe(
            AsyncMethodHandler(actor) { try await handler($0, $1) },
            of: Subject(optional: subject), on: TaskContext.pool.mailbox(options, origin),
            observer: actor, options: options, origin: origin)
    }
}

/// Code isolated to an actor as a handler of the actor's mailbox, which is drained there only.
package enum IsolatedCall {
    package static func method<Isolation: Actor, Payload>(
        _ handler: @escaping @Sendable (isolated Isolation, Payload) throws -> Void
    ) -> (Isolation) -> (Payload) throws -> Void {
        { actor in
            { payload in
                // The payload does not leave the thread: only the compiler's view of that changes.
                nonisolated(unsafe) let payload = payload
                try actor.assumeIsolated { try handler($0, payload) }
            }
        }
    }
}
