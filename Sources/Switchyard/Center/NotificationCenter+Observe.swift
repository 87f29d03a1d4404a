// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Calls `handler` with every notification of a name, on `context`.
    ///
    /// ```swift
    /// let token = center.observe(.converterAdded, on: .thread(worker)) { notification in … }
    /// ```
    /// A notification that crosses threads is as unchecked as with Apple's `queue:`: its object and
    /// `userInfo` must be safe to use on both.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: the object that it must have; nil for any or none. An instance is matched by
    ///     identity and not kept alive, another hashable value by equality; such a value is
    ///     compared, and let go, on the threads that post, so it must be safe to use there.
    ///   - context: the context on which `handler` runs.
    ///   - options: once, priority, bounds, pace, owner, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call. An error it throws goes to the center's problem hook.
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
            RegistrationSite(fileID, line))
    }

    /// Registers a call of a method, which may be isolated.
    @usableFromInline
    func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any?,
        calling call: @escaping (Observer, Notification) throws -> Void,
        _ isolation: MethodIsolation, _ observer: Observer,
        on context: DeliveryContext, options: ObservationOptions, fileID: StaticString, line: UInt
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        return observe(
            name, object, NamedMethodHandler(observer, calling: call),
            engine.mailbox(of: context, isolation, origin), observer, options, origin)
    }

    /// Registers a handler of notifications.
    func observe(
        _ name: NSNotification.Name?, _ object: Any?, _ handler: AnyNamedHandler,
        _ mailbox: SharedMailbox?, _ observer: AnyObject?, _ options: ObservationOptions,
        _ origin: RegistrationSite
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
            RegistrationSite(fileID, line))
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
        let confined = context.confine(handler)
        return observe(
            name, object, NamedHandler { try confined.value?($0) }, context.mailbox, nil, options,
            RegistrationSite(fileID, line))
    }
}
