// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Answers every request of a type with the result of `handler`, which runs on `context`.
    ///
    /// ```swift
    /// let token = center.answer(CanClose.self, of: document, on: .thread(worker)) { _ in !document.hasChanges }
    /// ```
    /// - Parameters:
    ///   - type: the requests to answer.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - context: the context on which `handler` runs.
    ///   - options: once, priority, a condition, bounds, owner, group, always queued. A one-shot
    ///     registration is used up by an answer. A pace traps: it would leave out requests whose
    ///     posters wait for an answer.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: makes the answer. An error it throws goes to the one who asked, and to the
    ///     center's problem hook.
    /// - Returns: The token that ends the registration when its last copy goes.
    public func answer<Request: RequestMessage>(
        _ type: Request.Type, of subject: Request.Subject? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Request) throws -> Request.Reply
    ) -> ObservationToken {
        engine.answer(
            type, ClosureHandler { try $0.answer(handler) }, subject,
            engine.mailbox(of: context), nil, options, RegistrationSite(fileID, line))
    }

    /// Answers every request of a type with the result of `handler`, which runs on the main actor
    /// and may use its state; otherwise as `answer(_:of:on:options:fileID:line:using:)` with
    /// another context.
    public func answer<Request: RequestMessage>(
        _ type: Request.Type, of subject: Request.Subject? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Request) throws -> Request.Reply
    ) -> ObservationToken {
        engine.answer(
            type, ClosureHandler(MainIsolation.body { try $0.answer(handler) }), subject, .main,
            nil, options, RegistrationSite(fileID, line))
    }

    /// Answers every request of a type with the result of an async `handler`: one call at a time,
    /// unless the options say ``ObservationOptions/isConcurrent``; otherwise as
    /// `answer(_:of:on:options:fileID:line:using:)` with a closure that is not async.
    public func answer<Request: RequestMessage>(
        _ type: Request.Type, of subject: Request.Subject? = nil, on context: TaskContext = .pool,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Request) async throws -> Request.Reply
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return engine.answer(
            type, AsyncClosureHandler { try await $0.answerAsync(handler) }, subject,
            context.mailbox(options, origin), nil, options, origin)
    }

    /// Answers every request of a type with the result of a method of `observer`, on `context`.
    /// `observer` is held weakly, and strongly only while its method runs, so the registration ends
    /// with it.
    ///
    /// - Returns: A token to end the registration earlier.
    @available(swift, introduced: 6)
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject & Sendable>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Request) throws -> Request.Reply,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        engine.answer(
            type, MethodHandler(observer) { observer, asked in try asked.answer(method(observer)) },
            subject, engine.mailbox(of: context), observer, options, RegistrationSite(fileID, line))
    }

    /// Answers every request of a type with the result of a method of `observer`, on `context`.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6. **Write `on: .main` for a method of
    /// the main actor**: without it, the method is called there only if all methods with these
    /// parameters that the class has are isolated alike.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject & Sendable>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @isolated(any) (Request) throws -> Request.Reply,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // Casts the method to a type without `@isolated(any)`. The function stays as it is.
        let plain = unsafeBitCast(
            method, to: ((Observer) -> (Request) throws -> Request.Reply).self)
        let origin = RegistrationSite(fileID, line)
        return engine.answer(
            type, MethodHandler(observer) { observer, asked in try asked.answer(plain(observer)) },
            subject, engine.mailbox(of: context, MethodIsolation(of: method(observer)), origin),
            observer, options, origin)
    }

    /// Answers every request of a type with the result of a main-actor method of `observer`;
    /// otherwise as `answer(_:of:with:_:on:options:fileID:line:)` with another context.
    @available(swift, introduced: 6)
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject & Sendable>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> @MainActor (Request) throws -> Request.Reply,
        on context: MainContext = .main, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let call = MainIsolation.body { (call: (Observer, AskedRequest<Request>)) in
            try call.1.answer(method(call.0))
        }
        return engine.answer(
            type, MethodHandler(observer) { try call(($0, $1)) }, subject, .main, observer,
            options, RegistrationSite(fileID, line))
    }

    /// Answers every request of a type with the result of a method of `observer`, on the main
    /// actor.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject & Sendable>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Request) throws -> Request.Reply,
        on context: MainContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // The main mailbox is drained on the main actor alone.
        engine.answer(
            type, MethodHandler(observer) { observer, asked in try asked.answer(method(observer)) },
            subject, .main, observer, options, RegistrationSite(fileID, line))
    }
}

// MARK: - With async methods, and on actors

extension MessageObserving {
    /// Answers every request of a type with the result of an async method of `observer`: one call
    /// at a time, unless the options say ``ObservationOptions/isConcurrent``. `observer` is held
    /// weakly, and strongly only while its method runs.
    ///
    /// - Returns: A token to end the registration earlier.
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject & Sendable>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Request) async throws -> Request.Reply,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        let handler = AsyncMethodHandler(observer) { (observer, asked: AskedRequest<Request>) in
            try await asked.answerAsync(method(observer))
        }
        return engine.answer(
            type, handler, subject, context.mailbox(options, origin), observer, options, origin)
    }

    /// Answers every request of a type with the result of `handler`, which runs on `actor`, takes
    /// it, and may use its state. The actor is held weakly, and the registration ends with it.
    ///
    /// ```swift
    /// center.answer(Balance.self, on: account) { account, _ in account.balance }
    /// ```
    /// - Returns: A token to end the registration earlier.
    @discardableResult
    public func answer<Request: RequestMessage, Isolation: Actor>(
        _ type: Request.Type, of subject: Request.Subject? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Request) throws -> Request.Reply
    ) -> ObservationToken {
        let call = IsolatedCall.method {
            (actor: isolated Isolation, asked: AskedRequest<Request>) in
            try asked.answer { try handler(actor, $0) }
        }
        return engine.answer(
            type, MethodHandler(actor, call), subject, DeliveryContext.actor(actor).mailbox, actor,
            options, RegistrationSite(fileID, line))
    }

    /// Answers every request of a type with the result of an async `handler`, which runs on
    /// `actor`, takes it, and may use its state: one call at a time, unless the options say
    /// ``ObservationOptions/isConcurrent``. The actor is held weakly.
    ///
    /// - Returns: A token to end the registration earlier.
    @discardableResult
    public func answer<Request: RequestMessage, Isolation: Actor>(
        _ type: Request.Type, of subject: Request.Subject? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler:
            @escaping @Sendable (isolated Isolation, Request) async throws -> Request.Reply
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        let handler = AsyncMethodHandler(actor) { (actor, asked: AskedRequest<Request>) in
            try await asked.answerAsync { try await handler(actor, $0) }
        }
        return engine.answer(
            type, handler, subject, TaskContext.pool.mailbox(options, origin), actor, options,
            origin)
    }
}

extension NotificationEngine {
    /// Registers a closure that answers requests on a mailbox.
    package func answer<Request: RequestMessage>(
        _ type: Request.Type, of subject: Request.Subject?, on mailbox: SharedMailbox?,
        options: ObservationOptions, origin: RegistrationSite,
        calling handler: @escaping (Request) throws -> Request.Reply
    ) -> ObservationToken {
        answer(
            type, ClosureHandler { try $0.answer(handler) }, subject, mailbox, nil, options, origin)
    }

    /// Registers a method that answers requests on a mailbox.
    package func answer<Request: RequestMessage, Observer: AnyObject>(
        _ type: Request.Type, of subject: Request.Subject?, on mailbox: SharedMailbox?,
        with observer: Observer, options: ObservationOptions, origin: RegistrationSite,
        calling method: @escaping (Observer, Request) throws -> Request.Reply
    ) -> ObservationToken {
        let handler = MethodHandler(
            observer,
            calling: { (observer: Observer, asked: AskedRequest<Request>) in
                try asked.answer { try method(observer, $0) }
            })
        return answer(type, handler, subject, mailbox, observer, options, origin)
    }

    /// Registers a handler of requests. The token of a closure ends its registration, that of an
    /// observer's method does not.
    fileprivate func answer<Request: RequestMessage>(
        _ type: Request.Type, _ handler: _DeliveryHandler<AskedRequest<Request>>,
        _ subject: Request.Subject?, _ mailbox: SharedMailbox?, _ observer: AnyObject?,
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> ObservationToken {
        options.check(for: Request.self, origin)
        Misuse.unless(
            options.pace == nil,
            "\(Request.self), answered at \(origin): a pace leaves out requests, and those who ask would get no "
                + "answer; leave the pace out, or give a bound")
        requestCarrier?.willAnswer(type, .type(AskedRequest<Request>.self))
        let observation = add(
            AnsweringHandler(handler), topic: .type(AskedRequest<Request>.self),
            subject: Subject(optional: subject), mailbox: mailbox, observer: observer,
            options: options, origin: origin)
        return ObservationToken(observation, endsObservation: observer == nil)
    }
}
