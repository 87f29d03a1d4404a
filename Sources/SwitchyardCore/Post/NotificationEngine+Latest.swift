// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Posts whose payload is kept for observers that come late.
extension NotificationEngine {
    /// Keeps `value` as the latest of its topic and subject, and posts it.
    package func post<Payload>(
        _ payload: Payload, retaining value: RetainedValue<Payload>, _ posting: Posting
    ) -> PostReceipt {
        // A subject that is going would end the value at once.
        let lastBefore =
            posting.subject.isGone
            ? .max : registry.retain(value, for: key(posting.topic, posting.subject))
        return post(payload, posting) { observation in
            // The others have heard the value when they were registered.
            observation.sequence <= lastBefore || !observation.has(Observation.State.replays)
        }
    }

    /// Keeps `value` as the latest of a topic and subject, for a post that is delivered later.
    package func retain(_ value: AnyRetainedValue, _ topic: Topic, _ subject: Subject) {
        if !subject.isGone { _ = registry.retain(value, for: key(topic, subject)) }
    }

    /// Keeps a message as the latest of its type and subject, and posts it.
    package func post<Message: NotificationMessage>(
        retaining message: Message, about object: Message.Subject?, as subject: Subject
    ) -> PostReceipt {
        if let carrier = Message._carrier {
            return carrier.typed(for: Message.self).post(
                retaining: message, subject: subject, object: object, through: self)
        }
        return post(
            message, retaining: RetainedValue(message),
            Posting(.type(Message.self), about: subject))
    }

    /// The latest message of a type about a subject that was retained.
    package func latest<Message: NotificationMessage>(
        _ type: Message.Type, about subject: Subject
    ) -> Message? {
        if let carrier = Message._carrier {
            return carrier.typed(for: type).latest(about: subject, in: self)
        }
        return latest(.type(type), subject)
    }

    /// Takes out the latest message of a type about a subject.
    package func removeLatest<Message: NotificationMessage>(
        _ type: Message.Type, about subject: Subject
    ) -> Message? {
        if let carrier = Message._carrier {
            return carrier.typed(for: type).removeLatest(about: subject, in: self)
        }
        return removeLatest(.type(type), subject)
    }

    /// The latest payload of a topic and subject that was retained.
    package func latest<Payload>(_ topic: Topic, _ subject: Subject) -> Payload? {
        payload(of: registry.latest(for: key(topic, subject)))
    }

    /// Takes out the latest payload of a topic and subject.
    package func removeLatest<Payload>(_ topic: Topic, _ subject: Subject) -> Payload? {
        payload(of: registry.removeLatest(for: key(topic, subject)))
    }

    private func payload<Payload>(of value: AnyRetainedValue?) -> Payload? {
        value.flatMap { unsafeDowncast($0, to: RetainedValue<Payload>.self).payload }
    }

    private func key(_ topic: Topic, _ subject: Subject) -> Key {
        precondition(
            !subject.isUnmatchable,
            "the subject of a value that is retained is neither a class instance nor Hashable, so that nobody "
                + "could ask for the value: make its type Hashable, or post without retaining")
        return Key(topic, subject)
    }
}
