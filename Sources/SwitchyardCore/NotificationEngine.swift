// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// A notification's way from `post` to the handlers, for every center: **post → match → route →
/// deliver**. Read this file from top to bottom; each step has a folder beside it.
///
/// Centers differ in what they carry (`Payload`: a typed message, or a named notification) and in
/// how it is written down; the way is the same.
public final class NotificationEngine: Sendable {
    let registry = Registry()
    let hooks = CenterHooks()
    /// Whether what is posted under a name goes to another center as well. For the module that knows
    /// that center.
    package var isForwarding: Bool {
        get { forwarding.load(ordering: .relaxed) }
        set { forwarding.store(newValue, ordering: .relaxed) }
    }

    private let forwarding = Atomic<Bool>(false)

    package init() { registry.engine = self }

    /// Ends the center: its registrations are let go. What waits in mailboxes is still delivered.
    package func close() { registry.close() }

    // MARK: 1. Post

    /// Posts a typed message whose type has no carrier, about nothing in particular.
    @usableFromInline
    package func post<Message: NotificationMessage>(asItself message: Message) {
        _ = post(typed: message, .none, nil)
    }

    /// Posts a typed message whose type may have a carrier, about nothing in particular.
    @usableFromInline
    package func post<Message: NotificationMessage>(carried message: Message) {
        _ = post(message)
    }

    /// Posts a typed message about nothing in particular, and says what that did.
    ///
    /// - Parameter wait: what waits for its deliveries elsewhere, if anything does.
    package func post<Message: NotificationMessage>(
        _ message: Message, for wait: PostWait? = nil
    ) -> PostReceipt {
        if let carrier = Message.carrier {
            return carrier.post(message, subject: .none, object: nil, through: self, for: wait)
        }
        return post(typed: message, .none, wait)
    }

    /// Posts a typed message about `object`, which is matched as `subject`.
    package func post<Message: NotificationMessage>(
        _ message: Message, about object: Message.Subject, as subject: Subject,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        if let carrier = Message.carrier {
            return carrier.post(message, subject: subject, object: object, through: self, for: wait)
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
            ? search(roomFor: 2) { $1.add($0.find(type: topic)) } : match(topic, subject)
        return deliver(message, match, topic, subject, for: wait) { message, _ in message }
    }

    /// Posts what is matched in another way than by its type; for the modules that know the way.
    ///
    /// - Parameters:
    ///   - topic: what it is posted as.
    ///   - subject: what it is about; asked for when somebody may observe the topic.
    ///   - wait: what waits for its deliveries elsewhere, if anything does.
    ///   - payload: what is delivered; made when somebody observes it.
    ///   - detach: gives the payload that waits in mailboxes.
    package func post<Payload>(
        _ topic: Topic, about subject: @autoclosure () -> Subject, for wait: PostWait?,
        _ payload: () -> Payload, detach: Detach<Payload>
    ) -> PostReceipt {
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let subject = subject()
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        return deliver(payload(), match, topic, subject, for: wait, detach: detach)
    }

    // MARK: 2. Match

    /// Finds the lists of observations for a post, and protects them until it is delivered: for this
    /// topic and for any name, with this subject and with any.
    @inline(__always)
    package func match(_ topic: Topic, _ subject: Subject) -> Match {
        let isHeardAsAny = topic.isName && registry.anyNameCount.load(ordering: .acquiring) > 0
        return subject.isNone && !isHeardAsAny
            ? search(roomFor: 2) { $1.add($0.find(topic, .none)) } : matchAll(topic, subject)
    }

    @inline(never)
    private func matchAll(_ topic: Topic, _ subject: Subject) -> Match {
        search(roomFor: 5) { table, match in
            match.add(table.find(topic, .none))
            if !subject.isNone { match.add(table.find(topic, subject)) }
            if topic.isName, registry.anyNameCount.load(ordering: .acquiring) > 0 {
                match.add(table.find(.anyName, .none))
                if !subject.isNone { match.add(table.find(.anyName, subject)) }
            }
        }
    }

    /// Has `find` add what it finds to a match, which is protected from then on.
    @inline(__always)
    private func search(
        roomFor words: Int, _ find: (RegistryTable, inout Match) -> Void
    ) -> Match {
        var match = Match(record: ThreadRecord.current(roomFor: words))
        ThreadRecord.beginSearch(match.record, of: registry)
        registry.table._withUnsafeGuaranteedRef { find($0, &match) }
        match.endSearch()
        return match
    }

    // MARK: 3. Route, and deliver

    /// Delivers `payload` to what was matched: here, or into the mailboxes of the contexts that the
    /// observers chose, whose drains take it from there (``AnyParcel/deliver(to:)``).
    ///
    /// - Parameters:
    ///   - wait: what waits for the deliveries in mailboxes, if anything does.
    ///   - detach: gives the payload that waits in mailboxes; told whether the object's deinit has
    ///     begun, because then it must not be kept.
    @inline(__always)
    package func deliver<Payload>(
        _ payload: Payload, _ match: consuming Match, _ topic: Topic, _ subject: Subject,
        for wait: PostWait? = nil, detach: Detach<Payload>
    ) -> PostReceipt {
        // Most posts come to plain observations alone, and are over with this.
        let run = callPlain(payload, match, for: wait)
        if run.isOver { return end(match, topic, delivered: run.delivered) }
        return deliver(payload, match, topic, subject, after: run, wait, detach)
    }

    /// Delivers to what is not plain, or is in several lists.
    ///
    /// - Parameter run: how far it came in a single list.
    @inline(never)
    private func deliver<Payload>(
        _ payload: Payload, _ match: consuming Match, _ topic: Topic, _ subject: Subject,
        after run: PlainRun, _ wait: PostWait?, _ detach: Detach<Payload>
    ) -> PostReceipt {
        let counts = hooks.collectsStatistics.load(ordering: .relaxed)
        var post = PostState(match, PostReceipt(run), countsInline: counts, wait)
        switch match.order {
        case .single(let list):
            // Not what handlers have added since.
            for index in (run.next..<run.end).clamped(to: 0..<list.count) {
                deliver(payload, to: list[index], &post, subject, detach)
            }
        case .merged(let lists):
            lists.forEachInOrder { deliver(payload, to: $0, &post, subject, detach) }
        case .sorted(let observations):
            for observation in observations {
                deliver(payload, to: .passUnretained(observation), &post, subject, detach)
            }
        }
        return end(match, topic, post.receipt)
    }

    /// Ends a post.
    @inline(__always)
    private func end(
        _ match: consuming Match, _ topic: Topic, _ receipt: PostReceipt
    ) -> PostReceipt {
        match.end()
        if receipt.reachedNobody { hooks.reportDeadLetter(topic) }
        return receipt
    }

    /// Ends a post that came to plain observations alone, or to none.
    @inline(__always)
    private func end(
        _ match: consuming Match, _ topic: Topic, delivered: Int = 0
    ) -> PostReceipt {
        match.end()
        if delivered == 0 { hooks.reportDeadLetter(topic) }
        return PostReceipt(delivered: delivered)
    }

    /// Whether anybody may observe `topic`: no for most that nobody does.
    @inline(__always)
    package func mayBeHeard(_ topic: Topic) -> Bool {
        registry.presence.mayContain(topic.hash)
            || topic.isName && registry.anyNameCount.load(ordering: .acquiring) > 0
    }

    /// Ends a post for which there is nobody.
    @inline(__always)
    package func reachedNobody(_ topic: Topic) -> PostReceipt {
        hooks.reportDeadLetter(topic)
        return PostReceipt()
    }
}
