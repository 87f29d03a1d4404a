// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) package import SwitchyardCore
internal import Synchronization

/// How a message type and notifications of its name become each other.
package struct NamedConversion<Message> {
    package let name: Notification.Name
    /// Whether both conversions may be asked for on the main actor only.
    var isForMainActor = false
    let makeMessage: (Notification) -> Message?
    let makeNotification: (Message) -> Notification

    package init(
        name: Notification.Name, isForMainActor: Bool = false,
        makeMessage: @escaping (Notification) -> Message?,
        makeNotification: @escaping (Message) -> Notification
    ) {
        self.name = name
        self.isForMainActor = isForMainActor
        self.makeMessage = makeMessage
        self.makeNotification = makeNotification
    }
}

/// A typed message that travels under its name.
@_spi(Engine) open class NamedMessage: @unchecked Sendable {
    // Sendable: messages are, or stay on the main actor; `made` is atomic.

    // Sendable: as unchecked as a notification that crosses threads; constant.
    private final class Made: @unchecked Sendable {
        let notification: Notification
        init(_ notification: Notification) { self.notification = notification }
    }

    /// The notification, once somebody has asked for it.
    /// Retained. Not `AtomicLazyReference`, which is not inlined, and asks for metadata each time.
    private let made = Atomic<UnsafeRawPointer?>(nil)

    /// For subclasses.
    public init() {}

    deinit {
        if let made = made.load(ordering: .acquiring) { Unmanaged<Made>.fromOpaque(made).release() }
    }

    /// The notification that the message's type makes of it, with the subject as its object.
    public final var notification: Notification {
        if let made = made.load(ordering: .acquiring) { return Self.notification(at: made) }
        let fresh = Unmanaged.passRetained(Made(makeNotification()))
        let (isFirst, first) = made.compareExchange(
            expected: nil, desired: UnsafeRawPointer(fresh.toOpaque()),
            ordering: .acquiringAndReleasing)
        if isFirst { return fresh._withUnsafeGuaranteedRef(\.notification) }
        fresh.release()
        guard let first else { preconditionFailure("only nil is exchanged") }
        return Self.notification(at: first)
    }

    private static func notification(at made: UnsafeRawPointer) -> Notification {
        Unmanaged<Made>.fromOpaque(made)._withUnsafeGuaranteedRef(\.notification)
    }

    /// Whether somebody has asked for the notification.
    public final var hasNotification: Bool { made.load(ordering: .relaxed) != nil }

    /// Whether the notification can be made on the main actor only.
    open var isForMainActor: Bool { false }

    /// The message itself; nil where it is not at hand.
    open var value: Any? { nil }

    /// The notification that it stands for.
    open func makeNotification() -> Notification {
        preconditionFailure("a NamedMessage subclass overrides makeNotification()")
    }

    /// The same without its subject, whose deinit has begun.
    open func withoutSubject() -> NamedMessage {
        preconditionFailure("a NamedMessage subclass overrides withoutSubject()")
    }

    /// The message itself, if it is one of that type; nil has it made from the notification.
    open func message<Message>(as type: Message.Type) throws -> Message? {
        (self as? TypedNamedMessage<Message>)?.message
    }
}

// Sendable: as its superclass; what it adds is constant.
package final class TypedNamedMessage<Message>: NamedMessage, @unchecked Sendable {
    package let message: Message
    private let subject: Any?
    private let conversion: NamedConversion<Message>

    package init(_ message: Message, _ subject: Any?, _ conversion: NamedConversion<Message>) {
        self.message = message
        self.subject = subject
        self.conversion = conversion
        super.init()
    }

    override package var isForMainActor: Bool { conversion.isForMainActor }

    override package var value: Any? { message }

    override package func makeNotification() -> Notification {
        var notification = conversion.makeNotification(message)
        notification.name = conversion.name
        notification.object = subject
        return notification
    }

    override package func withoutSubject() -> NamedMessage {
        TypedNamedMessage(message, nil, conversion)
    }
}

/// Lets a handler of messages hear what is posted under their name.
final class NamedAdapter<Message>: AnyNamedHandler {
    private let handler: DeliveryHandler<Message>
    private let conversion: NamedConversion<Message>

    init(_ handler: DeliveryHandler<Message>, _ conversion: NamedConversion<Message>) {
        self.handler = handler
        self.conversion = conversion
    }

    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    override func belongs(to observation: Observation) {
        self.observation = observation
        handler.belongs(to: observation)
    }

    // A notification of which no message can be made does not use up a one-shot observation.
    override var claimsOnce: Bool { true }

    // Observers of messages do not get the subject.
    override func keepsObject(of payload: NamedPayload) -> Bool {
        !(payload.message is TypedNamedMessage<Message>)
    }

    override func detached(_ payload: NamedPayload, objectIsGone: Bool) -> NamedPayload {
        guard keepsObject(of: payload) else {
            return payload.detachedMessage(objectIsGone: true)
        }
        return super.detached(payload, objectIsGone: objectIsGone)
    }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        let message = try message(of: payload)
        return claimOnce() ? try handler.deliver(message) : .watched
    }

    override func work(for payload: NamedPayload) throws -> AsyncWork {
        let message = try message(of: payload)
        if !claimOnce() { return { .watched } }
        return try handler.work(for: message)
    }

    private func claimOnce() -> Bool { observation?.claimOnce() ?? true }

    override func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        // A payload that can't be converted is reported when it is delivered.
        (try? message(of: payload)).flatMap { handler.key(key, of: $0) }
    }

    private func message(of payload: NamedPayload) throws -> Message {
        if let message = try payload.message?.message(as: Message.self) { return message }
        guard let message = conversion.makeMessage(payload.notification) else {
            throw DeliverySkipped(
                DeliveryProblem(
                    .notConvertible,
                    "\(Message.self).makeMessage returned nil for a notification named "
                        + "\"\(conversion.name.rawValue)\", so its observers did not get it; if "
                        + "that is not meant, implement makeMessage for this notification"))
        }
        return message
    }
}

/// Carries messages under their name.
package final class NamedCarrier<Message>: MessageCarrier<Message> {
    let conversion: NamedConversion<Message>

    package init(_ conversion: NamedConversion<Message>) {
        self.conversion = conversion
        super.init()
    }

    override package func post(
        _ message: Message, subject: Subject, object: Any?, through engine: NotificationEngine,
        for wait: PostWait?
    ) -> PostReceipt {
        engine.post(message, subject: subject, object: object, via: conversion, for: wait)
    }

    override package func adapt(
        _ handler: DeliveryHandler<Message>
    ) -> (handler: AnyDeliveryHandler, topic: Topic) {
        (NamedAdapter(handler, conversion), .name(conversion.name.rawValue))
    }
}

extension NotificationEngine {
    /// Posts a message under its name, or the way that was asked for.
    func post<Message>(
        _ message: Message, subject: Subject, object: Any?,
        via conversion: NamedConversion<Message>,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        if let interceptor = namedInterceptor {
            return interceptor.post(
                TypedNamedMessage(message, object, conversion), conversion.name, about: subject,
                for: wait, through: self)
        }
        return post(
            named: conversion.name.rawValue, about: subject, for: wait,
            isOnMainActor: conversion.isForMainActor
        ) { deliver in
            deliver(NamedPayload(TypedNamedMessage(message, object, conversion)))
        }
    }
}
