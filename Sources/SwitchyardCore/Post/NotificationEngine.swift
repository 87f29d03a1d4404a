// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// The engine, as Switchyard's own modules call it.
@usableFromInline
package typealias NotificationEngine = _NotificationEngine

/// A notification's way from `post` to the handlers, for every center: **post → match → route →
/// deliver**. Read this file from top to bottom; each step has a folder beside it.
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

    // MARK: 1. Post

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

    // MARK: 2. Match: see Registry+Match.swift

    /// Finds the lists for a post. If nobody observes it, ends the post and returns nil.
    package func matchIfAny(_ posting: Posting) -> Match? {
        let match = registry.match(posting.topic, posting.subject)
        guard match.isEmpty else { return match }
        _ = end(match, posting.topic)
        return nil
    }

    // MARK: 3. Route, and deliver

    /// Delivers `payload` to the matched observations: here, or into the mailboxes of the contexts
    /// that the observers chose, whose drains take it from there (``AnyParcel/deliver(to:)``).
    package func deliver<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match
    ) -> PostReceipt {
        deliver(payload, of: posting, posting.topic, posting.subject, posting.wait, match)
    }

    /// Delivers `payload` to the matched observations.
    ///
    /// - Parameter posting: evaluated only if an observation is not plain.
    @inline(__always)
    private func deliver<Payload>(
        _ payload: Payload, of posting: @autoclosure () -> Posting, _ topic: Topic,
        _ subject: Subject, _ wait: PostWait?, _ match: consuming Match
    ) -> PostReceipt {
        var run = PlainRun(end: match.isEmpty ? 0 : .max)
        // Calls what is plain among the observations, unless each delivery is counted or waited
        // for.
        if match.isPlain, wait == nil {
            if _slowPath(registry.hooks.hasOnlookers), isSampled() {
                run = callTraced(payload, topic, match)
            } else {
                let list = ObservationListView(match[0])
                if list.count == 1 {
                    run = Match.callOne(payload, list, match.slot)
                    // Most posts end here.
                    if run.isOver {
                        match.end()
                        return PostReceipt(delivered: 1)
                    }
                } else {
                    run = Match.callAll(payload, list, match.slot)
                }
            }
        }
        if run.isOver { return end(match, topic, delivered: run.delivered) }
        if run.isOne, !subject.isGone, queueOne(payload, match) {
            match.end()
            return PostReceipt(queued: 1)
        }
        return deliverRest(payload, of: posting(), to: match, after: run)
    }

    /// Delivers to the observations that a run has left.
    ///
    /// - Parameter run: the part of a single list that was delivered to.
    @inline(never)
    func deliverRest<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match, after run: PlainRun
    ) -> PostReceipt {
        if registry.hooks.hasOnlookers {
            return deliverTraced(payload, of: posting, to: match, after: run)
        }
        var post = PostState(match, posting, PostReceipt(run))
        beginGroups(of: &post, match, after: run)
        deliverRest(payload, of: posting, to: match, after: run, &post)
        return end(match, posting.topic, post.receipt, isHeard: post.isHeardInWait)
    }

    /// Delivers, in the state of `post`, to the observations behind those of `run`.
    func deliverRest<Payload>(
        _ payload: Payload, of posting: Posting, to match: borrowing Match, after run: PlainRun,
        _ post: inout PostState
    ) {
        switch match.order {
        case .single(let list):
            // Leaves out observations that handlers have added since the post began.
            for index in (run.next..<run.end).clamped(to: 0..<list.count)
            where Self.hears(list[index], post) {
                deliver(payload, of: posting, to: list[index], &post)
            }
        case .merged(let lists):
            lists.forEachInOrder { observation in
                if Self.hears(observation, post) {
                    deliver(payload, of: posting, to: observation, &post)
                }
            }
        case .sorted(let observations):
            for observation in observations
            where Self.hears(.passUnretained(observation), post) {
                deliver(payload, of: posting, to: .passUnretained(observation), &post)
            }
        }
    }

    /// Whether an observation hears a post that one before it may have consumed.
    @inline(__always)
    private static func hears(
        _ observation: Unmanaged<Observation>, _ post: borrowing PostState
    ) -> Bool {
        !post.receipt.isConsumed
            || observation._withUnsafeGuaranteedRef { $0.has(Observation.State.seesConsumed) }
    }

    /// Delivers `payload` only to observations for which `admits` returns true.
    ///
    /// - Parameter mayGoElsewhere: whether another process chooses from a group of which no member
    ///   here can hear the post, because their contexts have ended.
    @inline(never)
    package func deliver<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match,
        where admits: (Observation) -> Bool, mayGoElsewhere: Bool = true,
        whenQueued queued: ((Observation) -> Void)? = nil
    ) -> PostReceipt {
        let counts = registry.hooks.countsInline
        let trace = registry.hooks.traces ? PostTrace.begin(posting.topic) : nil
        let followed = registry.hooks.follower?.begin(posting.topic)
        var post = PostState(
            match, posting, PostReceipt(), countsInline: counts, trace: trace, followed: followed)
        withoutActuallyEscaping(admits) { admits in
            beginGroups(
                of: &post, match, after: PlainRun(end: .max), where: admits,
                mayGoElsewhere: mayGoElsewhere)
            match.visit { observation in
                if Self.hears(observation, post), observation._withUnsafeGuaranteedRef(admits) {
                    let before = post.receipt.queued
                    deliver(payload, of: posting, to: observation, &post)
                    if let queued, post.receipt.queued != before {
                        observation._withUnsafeGuaranteedRef {
                            if !$0.has(Observation.State.grouped) { queued($0) }
                        }
                    }
                }
            }
            post.groups = nil
        }
        post.trace?.end(isUnheard: false)
        followed?.end()
        match.end()
        return post.receipt
    }

    /// Ends a post.
    ///
    /// - Parameter isHeard: whether somebody has heard it whom the receipt does not count.
    @inline(__always)
    func end(
        _ match: consuming Match, _ topic: Topic, _ receipt: PostReceipt, isHeard: Bool = false
    ) -> PostReceipt {
        match.end()
        if receipt.reachedNobody, !isHeard { registry.hooks.reportDeadLetter(topic) }
        return receipt
    }

    /// Ends a post that came to plain observations alone, or to none.
    @inline(__always)
    private func end(
        _ match: consuming Match, _ topic: Topic, delivered: Int = 0
    ) -> PostReceipt {
        match.end()
        if delivered == 0 { registry.hooks.reportDeadLetter(topic) }
        return PostReceipt(delivered: delivered)
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
