// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// A message that is posted from anywhere and handled asynchronously (SF-0011).
    ///
    /// Its observers are async closures. For each observer they run one at a time, in the order of
    /// posting: Foundation starts them at once and in any order.
    ///
    /// Observers of ``name`` hear the message too, as the notification that
    /// ``makeNotification(_:)`` makes of it, and its observers hear notifications of that name of
    /// which ``makeMessage(_:)`` makes a message.
    public protocol AsyncMessage: NotificationMessage {
        /// The type of the message's subject.
        associatedtype Subject

        /// The name shared with notifications; unless you say otherwise, the type's full name.
        static var name: Notification.Name { get }

        /// The message that a notification of this name stands for; nil, unless you say otherwise.
        /// Called for each delivery, as a part of it.
        static func makeMessage(_ notification: Notification) -> Self?

        /// The notification that observers of the name get; unless you say otherwise, one with the
        /// name alone. Its object is set to the subject.
        static func makeNotification(_ message: Self) -> Notification
    }
}

extension NotificationCenter.AsyncMessage {
    /// The full name of the type.
    public static var name: Notification.Name {
        Notification.Name(_typeName(Self.self, qualified: true))
    }

    /// Nil: no notification stands for a message.
    public static func makeMessage(_ notification: Notification) -> Self? { nil }

    /// A notification with the name alone.
    public static func makeNotification(_ message: Self) -> Notification {
        Notification(name: name)
    }

    /// Under the name, so that both kinds of observers hear both kinds of posts.
    public static var _carrier: _AnyMessageCarrier? { NamedCarrier(conversion) }

    static var conversion: NamedConversion<Self> {
        NamedConversion(name: name, makeMessage: makeMessage, makeNotification: makeNotification)
    }
}

// MARK: - Posting

extension NotificationCenter {
    /// Posts an asynchronous message about `subject`. Returns before its observers have run.
    public func post<Message: AsyncMessage>(_ message: Message, subject: Message.Subject)
    where Message.Subject: AnyObject {
        _ = engine.post(
            message, subject: Subject(instance: subject), object: subject, via: Message.conversion)
    }

    /// Posts an asynchronous message about nothing in particular. Returns before its observers have
    /// run.
    public func post<Message: AsyncMessage>(_ message: Message) {
        _ = engine.post(message, subject: .none, object: nil, via: Message.conversion)
    }
}

// MARK: - Observing

extension NotificationCenter {
    /// Calls `observer` with messages about `subject`, in the order of posting, one at a time.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Identifier: MessageIdentifier, Message: AsyncMessage>(
        of subject: Message.Subject, for identifier: Identifier,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @Sendable (Message) async -> Void
    ) -> ObservationToken where Identifier.MessageType == Message, Message.Subject: AnyObject {
        add(Message.self, Subject(instance: subject), RegistrationSite(fileID, line), observer)
    }

    /// Calls `observer` with messages about anything or nothing, in the order of posting, one at a
    /// time.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Identifier: MessageIdentifier, Message: AsyncMessage>(
        of subject: Message.Subject.Type, for identifier: Identifier,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @Sendable (Message) async -> Void
    ) -> ObservationToken where Identifier.MessageType == Message {
        add(Message.self, .none, RegistrationSite(fileID, line), observer)
    }

    /// Calls `observer` with messages about `subject`, or, if that is nil, about anything or
    /// nothing, in the order of posting, one at a time.
    ///
    /// - Returns: The token that ends the observation when its last copy goes.
    public func addObserver<Message: AsyncMessage>(
        of subject: Message.Subject? = nil, for messageType: Message.Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        using observer: @escaping @Sendable (Message) async -> Void
    ) -> ObservationToken where Message.Subject: AnyObject {
        add(Message.self, Subject(optional: subject), RegistrationSite(fileID, line), observer)
    }

    private func add<Message: AsyncMessage>(
        _ type: Message.Type, _ subject: Subject, _ origin: RegistrationSite,
        _ observer: @escaping @Sendable (Message) async -> Void
    ) -> ObservationToken {
        engine.observe(
            AsyncClosureHandler(observer), of: subject,
            on: TaskContext.pool.mailbox(.standard, origin), options: .standard, origin: origin)
    }
}
