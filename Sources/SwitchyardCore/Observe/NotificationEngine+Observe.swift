// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension ObservationOptions {
    /// Traps when what these options ask of a payload can't be had of `payload`.
    package func check(for payload: Any.Type, _ origin: RegistrationSite) {
        if areCommon { return }
        if let key = bound?.key, key.payload != payload {
            Misuse.stop(
                "\(origin): the bound that keeps the latest per key takes its key of a \(key.payload), "
                    + "and the handler is called with a \(payload); take the key of that")
        }
        if let filter, filter.payload != payload {
            Misuse.stop(
                "\(origin): the condition of `where` reads a \(filter.payload), and the handler is "
                    + "called with a \(payload); write the condition for that")
        }
    }
}

extension NotificationEngine {
    /// Adds a registration.
    package func add(
        _ handler: consuming _AnyDeliveryHandler, topic: Topic, subject: Subject,
        mailbox: SharedMailbox?,
        observer: AnyObject? = nil, options: ObservationOptions, origin: RegistrationSite
    ) -> Observation {
        if subject.isUnmatchable { refuse(subject, origin) }
        // Apart, because registering is faster without a look at what few have.
        let seldom = options.areCommon ? nil : Seldom(options, topic, subject, registry)
        let observation = Observation(
            handler: handler, mailbox: mailbox, observer: observer, options: options,
            flow: Flow.make(options, mailbox, seldom?.member), queuesAlways: defaults.queuesAlways,
            origin: origin)
        if _slowPath(somebodyTraces) {
            addTraced(observation, topic, subject, seldom)
        } else if let seldom {
            add(observation, for: Key(topic, subject), seldom)
        } else {
            registry.add(observation, for: Key(topic, subject))
        }
        return observation
    }

    @inline(never)
    private func addTraced(
        _ observation: Observation, _ topic: Topic, _ subject: Subject, _ seldom: Seldom?
    ) {
        tracingRegistration(of: observation) {
            if let seldom {
                add(observation, for: Key(topic, subject), seldom)
            } else {
                registry.add(observation, for: Key(topic, subject))
            }
        }
    }

    /// The parts of a registration that few have.
    private final class Seldom {
        let owner: OwnerReference?
        let member: GroupMember?
        let replaysLatest: Bool

        @inline(never)
        init(
            _ options: ObservationOptions, _ topic: Topic, _ subject: Subject, _ registry: Registry
        ) {
            owner = options.owner
            member = options.group.map {
                GroupMember(of: registry.group(named: $0), topic, subject)
            }
            replaysLatest = options.replaysLatest
        }
    }

    @inline(never)
    private func add(_ observation: Observation, for key: Key, _ seldom: Seldom) {
        // Before the registration: a post that finds the observation finds the member as well.
        seldom.member?.join(with: observation)
        if let owner = seldom.owner { registry.setOwner(owner, of: observation) }
        if seldom.replaysLatest {
            addReplaying(observation, for: key)
        } else {
            registry.add(observation, for: key)
        }
        if !observation.isCancelled { seldom.member?.tellJoined() }
    }

    /// Adds an observation that first hears the latest values.
    private func addReplaying(_ observation: Observation, for key: Key) {
        defer { if interceptsPosts { interceptor?.observesLatest(key.topic, key.subject) } }
        observation.withFirstPause {
            guard let values = registry.addReplaying(observation, for: key) else { return }
            let parcels = observation.whileInside {
                values.compactMap { $0.parcel(for: observation) }
            }
            observation.endFirstPause(delivering: parcels ?? [])
        }
    }

    /// Traps, because no post could match `subject`.
    private func refuse(_ subject: Subject, _ origin: RegistrationSite) -> Never {
        Misuse.stop(
            subject.isIsolated
                ? "\(origin): the object to observe is Hashable on a global actor only, and posts "
                    + "compare objects on any thread, so no post could match it; observe any object, "
                    + "or make the type or its conformance nonisolated"
                : "\(origin): the object to observe is neither a class instance nor Hashable, so no "
                    + "post could match it; observe any object, or make its type Hashable")
    }

    /// Ends the registrations of `observer`, an object, that are for this topic and subject; nil
    /// stands for any.
    ///
    /// - Complexity: O(*n*) amortised, *n* being the number of registrations that end.
    package func removeObserver(_ observer: AnyObject, topic: Topic?, subject: Subject?) {
        let address = UInt(bitPattern: ObjectIdentifier(observer))
        let found = registry.state.withLock {
            $0.observers.observations(of: address, for: topic, subject)
        }
        for observation in found where observation.isFor(topic, subject) { observation.cancel() }
    }

    /// The watcher of topics; nil if there is none.
    package var topicWatcher: (any TopicWatcher)? { registry.topicWatcher }

    /// Has `watcher` told which topics are observed. To be called before the first registration.
    package func watchTopics(_ watcher: any TopicWatcher) { registry.topicWatcher = watcher }

    /// Has `watcher` told the observed topics. To be called before the first registration.
    package func watchInterest(_ watcher: any InterestWatcher) {
        registry.interestWatcher = watcher
    }

    /// The number of the latest registration.
    package var lastRegistration: UInt64 { registry.state.withLock(\.lastSequence) }

    /// Whether `observation` was registered with this center.
    package func owns(_ observation: Observation) -> Bool {
        observation.owner.registryIdentity == registry.identity
    }
}

extension Observation {
    /// Whether this was registered for `topic` and `subject`, nil standing for any.
    package func isFor(_ topic: Topic?, _ subject: Subject?) -> Bool {
        if let topic, !(bucket.topic == topic) { return false }
        if let subject, !(bucket.subject == subject) { return false }
        return true
    }
}
