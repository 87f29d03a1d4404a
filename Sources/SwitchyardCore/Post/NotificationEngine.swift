// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The engine, as Switchyard's own modules call it.
@usableFromInline
package typealias NotificationEngine = _NotificationEngine

/// A notification's way from `post` to the handlers, for every center: **post → match → route →
/// deliver**. The first step is below. `Search.swift` matches, `NotificationEngine+Deliver.swift`
/// and `Routing.swift` route, and `Deliver/Call/Observation+Call.swift` calls the handlers.
///
/// Centers differ in their payload (a typed message, or a named notification) and in their calls.
/// The steps are the same.
///
/// The class is public, under a name that nobody types, because generic code in clients is
/// specialized against it.
public final class _NotificationEngine: Sendable {
    let registry = Registry()
    /// Whether named posts go through ``interceptor``.
    package var interceptsPosts: Bool {
        get { intercepting.load(ordering: .relaxed) }
        set { intercepting.store(newValue, ordering: .relaxed) }
    }

    private let intercepting = Atomic<Bool>(false)

    /// The way of named posts while ``interceptsPosts``.
    package let interceptor: PostInterceptor?
    /// The center's defaults.
    let defaults: CenterDefaults

    package init(interceptor: PostInterceptor? = nil, defaults: CenterDefaults = CenterDefaults()) {
        self.interceptor = interceptor
        self.defaults = defaults
        CenterDirectory.add(registry)
        defaults.mailbox?.keptTarget?.centerBegan()
    }

    /// Ends the center, and releases its registrations. Deliveries that wait in mailboxes are still
    /// made.
    package func close() {
        CenterDirectory.remove(registry)
        registry.close()
        defaults.mailbox?.keptTarget?.centerEnded()
    }

    deinit { CenterDirectory.remove(registry) }

    // MARK: Post

    /// Posts a typed message whose type has no carrier, about nothing in particular.
    @usableFromInline
    package func post<Message: NotificationMessage>(asItself message: Message) {
        _ = post(typed: message, .none, nil)
    }

    /// Posts a typed message about nothing in particular.
    @usableFromInline
    package func post<Message: NotificationMessage>(_ message: Message) {
        if Message._carrier == nil {
            _ = post(typed: message, .none, nil)
        } else {
            _ = post(message, for: nil)
        }
    }

    /// Posts a typed message about nothing in particular, and says what that did.
    ///
    /// - Parameter wait: the wait for its deliveries elsewhere; nil if nobody waits.
    package func post<Message: NotificationMessage>(
        _ message: Message, for wait: PostWait?
    ) -> PostReceipt {
        if let carrier = Message._carrier {
            return carrier.typed(for: Message.self).post(
                message, subject: .none, object: nil, through: self, for: wait)
        }
        return post(typed: message, .none, wait)
    }

    /// Posts a typed message about `object`, which is matched as `subject`.
    package func post<Message: NotificationMessage>(
        _ message: Message, about object: Message.Subject, as subject: Subject,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        if let carrier = Message._carrier {
            return carrier.typed(for: Message.self).post(
                message, subject: subject, object: object, through: self, for: wait)
        }
        return post(typed: message, subject, wait)
    }

    @inline(__always)
    private func post<Message>(
        typed message: Message, _ subject: Subject, _ wait: PostWait?
    ) -> PostReceipt {
        let topic = Topic.type(Message.self)
        guard registry.presence.mayContain(topic.hash) else { return reachedNobody(topic) }
        let match =
            subject.isNone
            ? registry.search(roomFor: 2) { $1.add($0.find(type: topic)) }
            : registry.match(topic, subject)
        return deliver(
            message, of: Posting(topic, about: subject, for: wait), topic, subject, wait, match)
    }

    /// Posts only to observations for which `admits` returns true.
    ///
    /// - Parameters:
    ///   - mayGoElsewhere: as for ``deliver(_:of:to:where:mayGoElsewhere:whenQueued:)``.
    ///   - queued: called with each observation, but for members of groups, to which the post has
    ///     just been queued.
    package func post<Payload>(
        _ payload: Payload, _ posting: Posting, where admits: (Observation) -> Bool,
        mayGoElsewhere: Bool = true, whenQueued queued: ((Observation) -> Void)? = nil
    ) -> PostReceipt {
        let match = registry.match(posting.topic, posting.subject)
        if match.isEmpty {
            match.end()
            return PostReceipt()
        }
        return deliver(
            payload, of: posting, to: match, where: admits, mayGoElsewhere: mayGoElsewhere,
            whenQueued: queued)
    }

    /// Whether an observation for which `predicate` holds observes a topic and subject.
    /// Observations that have ended, and those whose observer object has died, are not asked.
    package func isObserved(
        _ topic: Topic, _ subject: Subject, where predicate: (Observation) -> Bool
    ) -> Bool {
        let match = registry.match(topic, subject)
        // The lists also have the observations that were removed since the last copy.
        let isObserved = match.contains { observation in
            observation.expireIfObserverDied()
            return !observation.isCancelled && predicate(observation)
        }
        match.end()
        return isObserved
    }

    /// Whether `topic` may have observers: never false if it has, false for most topics that have
    /// none.
    package func mayBeHeard(_ topic: Topic) -> Bool {
        registry.presence.mayContain(topic.hash)
            || topic.isName && registry.anyNameCount.load(ordering: .acquiring) > 0
    }

    /// Ends a post that has no observers.
    package func reachedNobody(_ topic: Topic) -> PostReceipt {
        registry.hooks.reportDeadLetter(topic)
        return PostReceipt()
    }
}
