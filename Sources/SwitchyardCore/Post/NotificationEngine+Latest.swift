// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Posts whose payload is kept for observers that come late.
extension NotificationEngine {
    /// Keeps `value` as the latest of its topic and subject, and posts it.
    package func post<Payload>(
        _ payload: Payload, retaining value: RetainedValue<Payload>, _ posting: Posting
    ) -> PostReceipt {
        let subject = posting.subject
        checkCanBeKept(subject)
        // A subject that is going would end the value at once. A value about one that does not
        // equal itself, as NaN, could never be replaced or removed.
        let isKept = !subject.isGone && subject == subject
        let last = isKept ? retain(value, posting.topic, subject).last : .max
        // The others have heard the value when they were registered.
        let hears = { (observation: Observation) in
            observation.sequence <= last || !observation.replaysLatest
        }
        return post(payload, posting, where: hears, mayGoElsewhere: false)
    }

    /// Keeps `value` as the latest of a topic and subject, unless a later one is kept.
    ///
    /// - Parameter isWanted: whether it may be kept instead of the other one; asked under the
    ///   registry's lock.
    @discardableResult
    package func retain(
        _ value: AnyRetainedValue, _ topic: Topic, _ subject: Subject,
        if isWanted: (_ other: AnyRetainedValue?) -> Bool = { _ in true }
    ) -> RetainOutcome {
        registry.retain(value, for: key(topic, subject), if: isWanted)
    }

    /// The latest value of a topic and subject.
    package func latestValue(of topic: Topic, about subject: Subject) -> AnyRetainedValue? {
        registry.latest(for: key(topic, subject))
    }

    /// The latest values that an observer of a topic would hear about a subject that may be equal
    /// to `subject`.
    package func latestValues(of topic: Topic, about subject: Subject) -> [AnyRetainedValue] {
        registry.latestValues(of: topic, about: subject)
    }

    /// Takes out the latest value of a topic and subject, if `isRemoved` returns true for it, under
    /// the registry's lock.
    ///
    /// - Returns: Whether it was taken out.
    @discardableResult
    package func removeLatest(
        _ topic: Topic, _ subject: Subject, where isRemoved: (AnyRetainedValue) -> Bool
    ) -> Bool {
        registry.removeLatest(for: key(topic, subject), where: isRemoved) != nil
    }

    /// Takes out the latest value of a topic and subject.
    package func takeLatest(_ topic: Topic, _ subject: Subject) -> AnyRetainedValue? {
        registry.removeLatest(for: key(topic, subject))
    }

    /// Keeps a message as the latest of its type and subject, and posts it.
    package func post<Message: NotificationMessage>(
        retaining message: Message, about object: Message.Subject?, as subject: Subject,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        if let carrier = Message._carrier {
            return carrier.typed(for: Message.self).post(
                retaining: message, subject: subject, object: object, through: self, for: wait)
        }
        return post(
            message, retaining: RetainedValue(message),
            Posting(.type(Message.self), about: subject, for: wait))
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
        if topic.isName, interceptsPosts, let interceptor {
            return payload(of: interceptor.removeLatest(topic, subject, from: self))
        }
        return payload(of: takeLatest(topic, subject))
    }

    private func payload<Payload>(of value: AnyRetainedValue?) -> Payload? {
        value.flatMap { unsafeDowncast($0, to: RetainedValue<Payload>.self).payload }
    }

    private func key(_ topic: Topic, _ subject: Subject) -> Key {
        checkCanBeKept(subject)
        return Key(topic, subject)
    }

    /// Stops the program if nobody could ask for a value about a subject.
    package func checkCanBeKept(_ subject: Subject) {
        Misuse.unless(
            !subject.isUnmatchable,
            "the subject of a value that is retained is neither a class instance nor Hashable, so that nobody "
                + "could ask for the value: make its type Hashable, or post without retaining")
    }
}
