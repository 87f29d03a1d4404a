// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension _AnyMessageCarrier {
    /// This, as the carrier of messages of a type, which has named it.
    @inline(never)
    final func typed<Message: NotificationMessage>(
        for type: Message.Type
    ) -> _MessageCarrier<Message> {
        guard let carrier = self as? _MessageCarrier<Message> else {
            preconditionFailure(
                "the carrier of \(Message.self) carries other messages; leave `_carrier` out of your "
                    + "types")
        }
        return carrier
    }
}

/// A ``_MessageCarrier`` whose type of messages is not mentioned: a class that is a message may
/// have subclasses, and then can't be named in the requirement of a protocol.
open class _AnyMessageCarrier {
    init() {}
}

/// Posts messages under another key than their type, such as a name, so that observers of the name
/// hear them. Made by Switchyard's own protocols.
open class _MessageCarrier<Message>: _AnyMessageCarrier {
    /// Makes a carrier. For subclasses.
    @_spi(Engine) override public init() { super.init() }

    /// Posts `message` about `object`, matched as `subject`, in the way of this carrier; `wait`
    /// waits for its deliveries elsewhere, if it is not nil.
    @_spi(Engine) open func post(
        _ message: Message, subject: Subject, object: Any?, through engine: _NotificationEngine,
        for wait: PostWait?
    ) -> PostReceipt {
        preconditionFailure(
            "a _MessageCarrier subclass overrides post(_:subject:object:through:for:)")
    }

    /// Posts `message` as `post(_:subject:object:through:for:)` does, and keeps it as the latest
    /// about its subject.
    @_spi(Engine) open func post(
        retaining message: Message, subject: Subject, object: Any?,
        through engine: _NotificationEngine, for wait: PostWait?
    ) -> PostReceipt {
        preconditionFailure(
            "a _MessageCarrier subclass overrides post(retaining:subject:object:through:for:)")
    }

    /// The latest message about a subject that was retained.
    @_spi(Engine) open func latest(
        about subject: Subject, in engine: _NotificationEngine
    ) -> Message? {
        preconditionFailure("a _MessageCarrier subclass overrides latest(about:in:)")
    }

    /// Takes out the latest message about a subject.
    @_spi(Engine) open func removeLatest(
        about subject: Subject, in engine: _NotificationEngine
    ) -> Message? {
        preconditionFailure("a _MessageCarrier subclass overrides removeLatest(about:in:)")
    }

    /// The handler to register in place of one of `Message`, and the topic to register it for.
    @_spi(Engine) open func adapt(
        _ handler: _DeliveryHandler<Message>
    ) -> (handler: _AnyDeliveryHandler, topic: Topic) {
        preconditionFailure("a _MessageCarrier subclass overrides adapt(_:)")
    }
}
