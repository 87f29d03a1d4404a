// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A notification that is a value of a type of its own.
///
/// ```swift
/// struct ConverterAdded: NotificationMessage {
///     typealias Subject = Converter      // leave it out when messages are about nothing in particular
///     var format: String
/// }
/// ```
/// Observers of the type get the value itself: nothing is looked up in a dictionary or cast.
public protocol NotificationMessage: Sendable {
    /// What a message can be about: an instance is matched by identity, any other value by
    /// equality. `Never`, unless said otherwise: then messages are posted without a subject.
    associatedtype Subject = Never

    /// How messages of this type travel; nil, the default: as themselves, matched by their type.
    /// Messages that also have a name bring a carrier of their own. Not for you to implement.
    static var carrier: MessageCarrier<Self>? { get }
}

extension NotificationMessage {
    /// Nil: messages travel as themselves.
    @inlinable
    public static var carrier: MessageCarrier<Self>? { nil }
}

/// How messages of a type travel when they are not matched by their type: under a name, say, so that
/// observers of the name hear them. Made by Switchyard's own protocols.
open class MessageCarrier<Message> {
    /// For subclasses.
    @_spi(Engine) public init() {}

    /// Posts `message` about `object`, matched as `subject`, in the way of this carrier; `wait` waits
    /// for its deliveries elsewhere, if it is not nil.
    @_spi(Engine) open func post(
        _ message: Message, subject: Subject, object: Any?, through engine: NotificationEngine,
        for wait: PostWait?
    ) -> PostReceipt {
        preconditionFailure(
            "a MessageCarrier subclass overrides post(_:subject:object:through:for:)")
    }

    /// What to register in place of a handler of `Message`, and for what.
    @_spi(Engine) open func adapt(
        _ handler: DeliveryHandler<Message>
    ) -> (handler: AnyDeliveryHandler, topic: Topic) {
        preconditionFailure("a MessageCarrier subclass overrides adapt(_:)")
    }
}
