// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// A message that is posted and handled on the main actor, within the post (SF-0011).
    ///
    /// Observers of ``name`` hear the message too, as the notification that
    /// ``makeNotification(_:)`` makes of it, and its observers hear notifications of that name of
    /// which ``makeMessage(_:)`` makes a message: within the post when it is made on the main
    /// actor, else in their turn there.
    public protocol MainActorMessage: SendableMetatype {
        /// The type of the message's subject.
        associatedtype Subject

        /// The name shared with notifications; unless you say otherwise, the type's full name.
        static var name: Notification.Name { get }

        /// The message that a notification of this name stands for; nil, unless you say otherwise.
        /// Called for each delivery, as a part of it.
        @MainActor static func makeMessage(_ notification: Notification) -> Self?

        /// The notification that observers of the name get; unless you say otherwise, one with the
        /// name alone. Its object is set to the subject.
        @MainActor static func makeNotification(_ message: Self) -> Notification
    }
}

extension NotificationCenter.MainActorMessage {
    /// The full name of the type.
    public static var name: Notification.Name {
        Notification.Name(_typeName(Self.self, qualified: true))
    }

    /// Nil: no notification stands for a message.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? { nil }

    /// A notification with the name alone.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
        Notification(name: name)
    }

    /// Both conversions are asked for on the main actor only: when it posts, also for observers of
    /// the name elsewhere, and when it is delivered to.
    static var conversion: NamedConversion<Self> {
        NamedConversion(
            name: name, isForMainActor: true,
            makeMessage: { notification in
                // The notification does not leave the thread: only the compiler's view of that
                // changes.
                nonisolated(unsafe) let notification = notification
                return MainActor.assumeIsolated {
                    UnsafeTransfer(makeMessage(notification))
                }.value
            },
            makeNotification: { message in
                // The message does not leave the thread, as above.
                nonisolated(unsafe) let message = message
                return MainActor.assumeIsolated {
                    UnsafeTransfer(makeNotification(message))
                }.value
            })
    }
}

/// A value that stays on the thread it is on, through a call that the compiler takes for a
/// crossing.
private struct UnsafeTransfer<Value>: @unchecked Sendable {
    // Sendable: only ever returned from `assumeIsolated`, which runs on the calling thread.
    let value: Value
    init(_ value: Value) { self.value = value }
}

// MARK: - Posting

extension NotificationCenter {
    /// Posts a message about `subject`; its observers have run when this returns.
    @MainActor
    public func post<Message: MainActorMessage>(_ message: Message, subject: Message.Subject)
    where Message.Subject: AnyObject {
        _ = engine.post(
            message, subject: Subject(instance: subject), object: subject, via: Message.conversion)
    }

    /// Posts a message about nothing in particular; its observers have run when this returns.
    @MainActor
    public func post<Message: MainActorMessage>(_ message: Message) {
        _ = engine.post(message, subject: .none, object: nil, via: Message.conversion)
    }
}

// MARK: - Observing

extension NotificationCenter {
    /// Calls `observer` on the main actor with messages about `subject`.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Identifier: MessageIdentifier, Message: MainActorMessage>(
        of subject: Message.Subject, for identifier: Identifier,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @MainActor (Message) -> Void
    ) -> ObservationToken where Identifier.MessageType == Message, Message.Subject: AnyObject {
        add(Message.self, Subject(instance: subject), RegistrationSite(fileID, line), observer)
    }

    /// Calls `observer` on the main actor with messages about anything or nothing.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Identifier: MessageIdentifier, Message: MainActorMessage>(
        of subject: Message.Subject.Type, for identifier: Identifier,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @MainActor (Message) -> Void
    ) -> ObservationToken where Identifier.MessageType == Message {
        add(Message.self, .none, RegistrationSite(fileID, line), observer)
    }

    /// Calls `observer` on the main actor with messages about `subject`, or, if that is nil, about
    /// anything or nothing.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Message: MainActorMessage>(
        of subject: Message.Subject? = nil, for messageType: Message.Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @MainActor (Message) -> Void
    ) -> ObservationToken where Message.Subject: AnyObject {
        add(Message.self, Subject(optional: subject), RegistrationSite(fileID, line), observer)
    }

    private func add<Message: MainActorMessage>(
        _ type: Message.Type, _ subject: Subject, _ origin: RegistrationSite,
        _ observer: @escaping @MainActor (Message) -> Void
    ) -> ObservationToken {
        let handler = ClosureHandler(MainIsolation.body(observer))
        var options = ObservationOptions.standard
        options.overtakes = true
        let observation = engine.add(
            NamedAdapter(handler, Message.conversion), topic: .name(Message.name.rawValue),
            subject: subject, mailbox: .main, options: options,
            origin: origin)
        return ObservationToken(observation, endsObservation: true)
    }
}
