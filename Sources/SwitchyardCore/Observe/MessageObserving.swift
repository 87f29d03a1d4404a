// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A center on which typed messages can be observed. Switchyard's centers conform to it; write
/// functions for any of them with a parameter of type `some MessageObserving`.
public protocol MessageObserving: AnyObject, Sendable {
    /// The engine that delivers for this center. Only Switchyard's own centers have one.
    var _engine: _NotificationEngine { get }
}

extension MessageObserving {
    /// The engine that delivers for this center.
    @inlinable
    package var engine: NotificationEngine { _engine }
}

extension MessageObserving {
    /// Calls `handler` with every message of a type, on `context`.
    ///
    /// ```swift
    /// let token = center.observe(ConverterAdded.self, of: converter) { message in … }
    /// ```
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none. An instance is matched by
    ///     identity and not kept alive, another value by equality.
    ///   - context: the context on which `handler` runs.
    ///   - options: once, priority, bounds, pace, owner, always queued.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes.
    /// - Complexity: O(1) amortised.
    @inlinable
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Message) throws -> Void
    ) -> ObservationToken {
        // Inlined where the type is known: elsewhere, to ask the runtime for generic types of it
        // takes a good part of registering.
        if let subject {
            engine.observe(
                ClosureHandler<Message>.self, of: subject, on: context, options: options,
                fileID: fileID, line: line, using: handler)
        } else {
            engine.observe(
                ClosureHandler<Message>.self, on: context, options: options, fileID: fileID,
                line: line, using: handler)
        }
    }
}

extension MessageObserving {
    /// Calls `handler` on the main actor with every message of a type. The handler may use
    /// main-actor state; otherwise as `observe(_:of:on:options:fileID:line:using:)` with another
    /// context.
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Message) throws -> Void
    ) -> ObservationToken {
        engine.observe(
            ClosureHandler(MainIsolation.body(handler)), of: Subject(optional: subject),
            on: .main, options: options, origin: RegistrationSite(fileID, line))
    }
}

extension NotificationEngine {
    /// Registers a closure for messages about `subject`.
    @usableFromInline
    func observe<Message: NotificationMessage>(
        _ type: ClosureHandler<Message>.Type, of subject: Message.Subject,
        on context: DeliveryContext, options: ObservationOptions,
        fileID: StaticString, line: UInt, using handler: @escaping (Message) throws -> Void
    ) -> ObservationToken {
        observe(
            type.init(handler), of: Subject(subject), on: mailbox(of: context), options: options,
            origin: RegistrationSite(fileID, line))
    }

    /// Registers a closure for messages about anything or nothing.
    @usableFromInline
    func observe<Message: NotificationMessage>(
        _ type: ClosureHandler<Message>.Type, on context: DeliveryContext,
        options: ObservationOptions, fileID: StaticString, line: UInt,
        using handler: @escaping (Message) throws -> Void
    ) -> ObservationToken {
        observe(
            type.init(handler), of: .none, on: mailbox(of: context), options: options,
            origin: RegistrationSite(fileID, line))
    }

    /// Registers a handler of typed messages, in the way their type travels. The token of a closure
    /// ends its observation, that of an observer's method does not.
    package func observe<Message: NotificationMessage>(
        _ handler: consuming _DeliveryHandler<Message>, of subject: Subject,
        on mailbox: SharedMailbox?,
        observer: AnyObject? = nil, options: ObservationOptions, origin: RegistrationSite
    ) -> ObservationToken {
        options.check(for: Message.self, origin)
        let observation: Observation
        if let carrier = Message._carrier {
            let (adapted, topic) = carrier.typed(for: Message.self).adapt(handler)
            observation = add(
                adapted, topic: topic, subject: subject, mailbox: mailbox, observer: observer,
                options: options, origin: origin)
        } else {
            observation = add(
                handler, topic: .type(Message.self), subject: subject, mailbox: mailbox,
                observer: observer, options: options, origin: origin)
        }
        return ObservationToken(observation, endsObservation: observer == nil)
    }
}
