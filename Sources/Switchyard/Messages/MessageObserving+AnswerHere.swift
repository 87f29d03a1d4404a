// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) public import SwitchyardCore

extension MessageObserving {
    /// Answers every request of a type with the result of `handler`, on the calling thread's run
    /// loop. The handler stays on this thread, so it need not be `Sendable`; otherwise as
    /// `answer(_:of:on:options:fileID:line:using:)` with another context.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public func answer<Request: RequestMessage>(
        _ type: Request.Type, of subject: Request.Subject? = nil, on context: ThisThreadContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping (Request) throws -> Request.Reply
    ) -> ObservationToken {
        let confined = context.confine(handler)
        return engine.answer(
            type, of: subject, on: context.mailbox, options: options,
            origin: RegistrationSite(fileID, line)
        ) { try confined.held($0) }
    }

    /// Answers every request of a type with the result of a method of `observer`, on the calling
    /// thread's run loop. The observer stays on this thread, so it need not be `Sendable`;
    /// otherwise as `answer(_:of:with:_:on:options:fileID:line:)` with another context.
    @available(swift, introduced: 6)
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    @discardableResult
    public func answer<Request: RequestMessage, Observer: AnyObject>(
        _ type: Request.Type, of subject: Request.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Request) throws -> Request.Reply,
        on context: ThisThreadContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let confined = context.confine(method)
        return engine.answer(
            type, of: subject, on: context.mailbox, with: observer, options: options,
            origin: RegistrationSite(fileID, line)
        ) { try confined.held($0)($1) }
    }
}

extension Confined {
    /// The value, for a call on its thread.
    ///
    /// - Throws: `CancellationError` when the thread is ending.
    fileprivate var held: Value {
        get throws {
            guard let value else { throw CancellationError() }
            return value
        }
    }
}
