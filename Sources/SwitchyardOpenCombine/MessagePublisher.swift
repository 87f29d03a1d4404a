// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
public import OpenCombine
@_spi(Engine) public import SwitchyardCore

extension MessageObserving {
    /// Returns a publisher of the messages of a type.
    ///
    /// ```swift
    /// let subscription = center.publisher(for: PageAdded.self, on: .main)
    ///     .map(\.number)
    ///     .sink { print($0) }
    /// ```
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The subject that they must have; nil for any or none.
    ///   - context: The context on which the publisher emits.
    ///   - options: The priority, bound and pace of the observation. A publisher with `.once` emits
    ///     once and does not complete; use `first()` in its place.
    ///   - fileID: The calling file, for reports; leave it out.
    ///   - line: The line in that file; leave it out.
    public func publisher<Message: NotificationMessage>(
        for type: Message.Type, of subject: Message.Subject? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> MessagePublisher<Message> {
        MessagePublisher(
            center: self, subject: subject, context: context, options: options, fileID: fileID,
            line: line)
    }

    /// Returns a publisher of the messages of a type that emits on the main actor's thread;
    /// otherwise as with another context.
    public func publisher<Message: NotificationMessage>(
        for type: Message.Type, of subject: Message.Subject? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> MessagePublisher<Message> {
        publisher(
            for: type, of: subject, on: .mailbox(.main), options: options, fileID: fileID,
            line: line)
    }
}

/// A publisher of the messages of a type.
///
/// Demand, threads, cancelling and lifetimes are those of the publisher of notifications: a message
/// for which there is no demand is not kept, a subscriber gets one message at a time, and the
/// publisher never completes.
public struct MessagePublisher<Message: NotificationMessage>: OpenCombine.Publisher {
    /// A message.
    public typealias Output = Message
    /// The publisher does not fail.
    public typealias Failure = Never

    /// The center whose messages are published.
    public let center: any MessageObserving
    /// The subject that messages must have; nil for any or none.
    public let subject: Message.Subject?

    private let context: DeliveryContext
    private let options: ObservationOptions
    private let fileID: StaticString
    private let line: UInt

    init(
        center: any MessageObserving, subject: Message.Subject?, context: DeliveryContext,
        options: ObservationOptions, fileID: StaticString, line: UInt
    ) {
        self.center = center
        self.subject = subject
        self.context = context
        self.options = options
        self.fileID = fileID
        self.line = line
    }

    /// Begins to observe for `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Message, Downstream.Failure == Never {
        let subscription = CenterSubscription(subscriber)
        subscription.begin(with: subscriber, keeping: center, replays: options.replaysLatest) {
            center.observe(
                Message.self, of: subject, on: context, options: options, fileID: fileID, line: line
            ) { [weak subscription] in subscription?.receive($0) }
        }
    }
}

extension MessagePublisher: Equatable {
    /// Whether both publish the messages of one center, about the same subject, in the same
    /// context. Options are not compared.
    public static func == (left: Self, right: Self) -> Bool {
        left.center === right.center
            && Subject(optional: left.subject) == Subject(optional: right.subject)
            && left.center.engine.mailbox(of: left.context)
                === right.center.engine.mailbox(of: right.context)
    }
}
#endif
