// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension NotificationCenter {
    /// A short name for a message type, for use where observers register (SF-0011, SE-0299).
    ///
    /// ```swift
    /// extension NotificationCenter.MessageIdentifier
    /// where Self == NotificationCenter.BaseMessageIdentifier<ConverterAdded> {
    ///     static var converterAdded: Self { .init() }
    /// }
    /// let token = center.addObserver(of: converter, for: .converterAdded) { message in … }
    /// ```
    public protocol MessageIdentifier {
        /// The type of the messages.
        associatedtype MessageType
    }

    /// The identifier to build short names on; see ``MessageIdentifier``.
    public struct BaseMessageIdentifier<MessageType>: MessageIdentifier, Sendable {
        /// An identifier of a message for the main actor.
        public init() where MessageType: MainActorMessage {}
        /// An identifier of an asynchronous message.
        public init() where MessageType: AsyncMessage {}
    }
}
