// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Posts whose payload is kept for observers that come late.
extension NotificationEngine {
    /// Keeps `value` as the latest of its topic and subject, and posts it.
    package func post<Payload>(
        _ payload: Payload, retaining value: RetainedValue<Payload>, _ posting: Posting
    ) -> PostReceipt {
        // A subject that is going would end the value at once.
        let isGone = posting.subject.isGone
        let last = isGone ? .max : retain(value, posting.topic, posting.subject).last
        return post(payload, posting) { observation in
            // The others have heard the value when they were registered.
            observation.sequence <= last || !observation.replaysLatest
        }
    }

    /// Keeps `value` as the latest of a topic and subject, unless a later one is kept.
    ///
    /// - Parameter isWanted: whether it may be kept instead of the other one; asked under the registry's lock.
    @discardableResult
    package func retain(
        _ value: AnyRetainedValue, _ topic: Topic, _ subject: Subject,
        if isWanted: (_ other: AnyRetainedValue?) -> Bool = { _ in true }
    ) -> RetainOutcome {
        registry.retain(value, for: key(topic, subject), if: isWanted)
    }

    /// Gives a value that was posted earlier, in another process, to the observers that hear the latest value first. As
    /// when they register, bounds, paces and groups do not count it.
    ///
    /// - Parameter last: the number of the last registration before the value was kept.
    package func deliverLate(
        _ value: AnyRetainedValue, _ topic: Topic, _ subject: Subject, keptAfter last: UInt64
    ) {
        var observations: [Observation] = []
        _ = isObserved(topic, subject) { observation in
            if observation.replaysLatest, observation.sequence <= last {
                observations.append(observation)
            }
            return false
        }
        value.beginDelivery()
        for observation in observations where !value.isReplaced {
            deliver(value, to: observation)
            deliverLatest(topic, subject, to: observation, after: value)
        }
    }

    /// Delivers the latest value to an observation that was given `value`, if another thread has kept a later one
    /// meanwhile: it may have delivered that one first, so that `value` would be the last that the observation hears.
    package func deliverLatest(
        _ topic: Topic, _ subject: Subject, to observation: Observation,
        after value: AnyRetainedValue
    ) {
        // Without a mailbox, the calls overlap anyway.
        guard observation.mailbox != nil else { return }
        var value = value
        // One whose delivery has not begun comes behind this.
        while value.isReplaced, let latest = latestValue(of: topic, about: subject),
            latest.isDelivered
        {
            deliver(latest, to: observation)
            value = latest
        }
    }

    private func deliver(_ value: AnyRetainedValue, to observation: Observation) {
        guard let parcel = observation.whileInside({ value.parcel(for: observation) }) ?? nil
        else { return }
        if let mailbox = observation.mailbox {
            var receipt = PostReceipt()
            mailbox.enqueue(parcel, to: observation, &receipt)
        } else if !observation.keepsInPause(parcel) {
            parcel.deliver(to: observation)
        }
    }

    /// The latest value of a topic and subject.
    package func latestValue(of topic: Topic, about subject: Subject) -> AnyRetainedValue? {
        registry.latest(for: key(topic, subject))
    }

    /// The latest values that an observer of a topic would hear about a subject that may be equal to `subject`.
    package func latestValues(of topic: Topic, about subject: Subject) -> [AnyRetainedValue] {
        registry.latestValues(of: topic, about: subject)
    }

    /// Takes out the latest value of a topic and subject, if `isRemoved` returns true for it, under the registry's
    /// lock.
    package func removeLatest(
        _ topic: Topic, _ subject: Subject, where isRemoved: (AnyRetainedValue) -> Bool
    ) {
        _ = registry.removeLatest(for: key(topic, subject), where: isRemoved)
    }

    /// Takes out the latest value of a topic and subject.
    package func takeLatest(_ topic: Topic, _ subject: Subject) -> AnyRetainedValue? {
        registry.removeLatest(for: key(topic, subject))
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
        if topic.isName, interceptsPosts, let interceptor {
            return payload(of: interceptor.removeLatest(topic, subject, from: self))
        }
        return payload(of: takeLatest(topic, subject))
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
