// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

// MARK: - Async handlers

extension NotificationCenter {
    /// Calls an async `handler` with every notification of a name: one call at a time, in the order
    /// of posting, each when the one before has returned.
    ///
    /// A notification that crosses threads is as unchecked as with Apple's `queue:`: its object and
    /// `userInfo` must be safe to use on both.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: the object that it must have; nil for any or none.
    ///   - context: the context on which `handler` runs, unless it is isolated.
    ///   - options: once, priority, bounds, pace; `ObservationOptions.concurrent` for calls side by
    ///     side.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes. A call under way is
    ///   not cancelled by that.
    public func observe(
        _ name: NSNotification.Name?, of object: Any? = nil, on context: TaskContext = .pool,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) async throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return observe(
            name, object, AsyncNamedHandler(AsyncClosureHandler(handler)),
            context.mailbox(options, origin), nil, options, origin)
    }

    /// Calls an async method of `observer` with every notification of a name: one call at a time,
    /// in the order of posting. `observer` is held weakly, and strongly only while its method runs.
    ///
    /// - Returns: A token to end the observation earlier.
    @available(swift, introduced: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping @Sendable (Observer) -> (Notification) async throws -> Void,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            name, object, asyncMethod: method, observer, context, options,
            RegistrationSite(fileID, line))
    }

    /// Calls an async method of `observer` with every notification of a name: one call at a time,
    /// in the order of posting.
    ///
    /// For the Swift 5 language mode; otherwise as in Swift 6.
    @available(swift, obsoleted: 6)
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> (Notification) async throws -> Void,
        on context: TaskContext = .pool, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        // A method that is named captures nothing; this mode does not check that it is one.
        nonisolated(unsafe) let method = method
        return observe(
            name, object, asyncMethod: { method($0) }, observer, context, options,
            RegistrationSite(fileID, line))
    }

    private func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, _ object: Any?,
        asyncMethod method: @escaping @Sendable (Observer) -> (Notification) async throws -> Void,
        _ observer: Observer, _ context: TaskContext, _ options: ObservationOptions,
        _ origin: RegistrationSite
    ) -> ObservationToken {
        let handler = AsyncMethodHandler<Observer, Notification>(observer) {
            try await method($0)($1)
        }
        return observe(
            name, object, AsyncNamedHandler(handler), context.mailbox(options, origin), observer,
            options, origin)
    }
}

// MARK: - On an actor

extension NotificationCenter {
    /// Calls `handler` on `actor` with every notification of a name. The handler takes the actor
    /// and may use its state.
    ///
    /// Notifications come in the order of posting, to all such handlers of the actor. The actor is
    /// held weakly, and the observation ends with it; there is no token to keep.
    ///
    /// - Returns: A token to end the observation earlier.
    @discardableResult
    public func observe<Isolation: Actor>(
        _ name: NSNotification.Name?, of object: Any? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Notification) throws -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedMethodHandler(actor, IsolatedCall.method(handler)),
            DeliveryContext.actor(actor).mailbox, actor, options, RegistrationSite(fileID, line))
    }

    /// Calls an async `handler` on `actor` with every notification of a name: one call at a time,
    /// in the order of posting. The handler takes the actor and may use its state; the actor is
    /// held weakly.
    ///
    /// - Returns: A token to end the observation earlier.
    @discardableResult
    public func observe<Isolation: Actor>(
        _ name: NSNotification.Name?, of object: Any? = nil, on actor: Isolation,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (isolated Isolation, Notification) async throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        let handler = AsyncMethodHandler<Isolation, Notification>(actor) { actor, notification in
            // The closure is as unchecked as with Apple's `queue:`.
            nonisolated(unsafe) let notification = notification
            try await handler(actor, notification)
        }
        return observe(
            name, object, AsyncNamedHandler(handler), TaskContext.pool.mailbox(options, origin),
            actor, options, origin)
    }
}

/// Calls an async handler of notifications.
final class AsyncNamedHandler: AnyNamedHandler {
    private let handler: _DeliveryHandler<Notification>

    init(_ handler: _DeliveryHandler<Notification>) { self.handler = handler }

    override var inWords: String { handler.inWords }

    override var role: HandlerRole { handler.role }

    override var observerIsGone: Bool { handler.observerIsGone }

    override func work(for payload: NamedPayload) throws -> AsyncWork {
        try handler.work(for: payload.notification)
    }
}
