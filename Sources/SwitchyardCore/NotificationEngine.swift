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

    /// Posts a typed message about nothing in particular.
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
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        return deliver(message, match, topic, subject, for: wait) { message, _ in message }
    }

    // MARK: 2. Match

    /// Finds the lists of observations for a post, and protects them until it is delivered: for this
    /// topic and for any name, with this subject and with any.
    package func match(_ topic: Topic, _ subject: Subject) -> Match {
        var match = Match(record: ThreadRecord.current(roomFor: 5))
        match.record.pointee.beginSearch(of: registry)
        registry.table._withUnsafeGuaranteedRef { table in
            match.add(table.find(topic, .none))
            if !subject.isNone { match.add(table.find(topic, subject)) }
            if topic.isName, registry.anyNameCount.load(ordering: .acquiring) > 0 {
                match.add(table.find(.anyName, .none))
                if !subject.isNone { match.add(table.find(.anyName, subject)) }
            }
        }
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
    package func deliver<Payload>(
        _ payload: Payload, _ match: consuming Match, _ topic: Topic, _ subject: Subject,
        for wait: PostWait? = nil, detach: Detach<Payload>
    ) -> PostReceipt {
        let counts = hooks.collectsStatistics.load(ordering: .relaxed)
        var post = PostState(match, countsInline: counts, wait)
        switch match.order {
        case .single(let list):
            for index in 0..<list.count {
                deliver(payload, to: list[index], &post, subject, detach)
            }
        case .merged(let lists):
            lists.forEachInOrder { deliver(payload, to: $0, &post, subject, detach) }
        case .sorted(let observations):
            for observation in observations {
                deliver(payload, to: .passUnretained(observation), &post, subject, detach)
            }
        case .nothing:
            break
        }
        match.end()
        if post.receipt.reachedNobody { hooks.reportDeadLetter(topic) }
        return post.receipt
    }

    /// Ends a post that reached nobody.
    package func end(_ match: consuming Match, _ topic: Topic) -> PostReceipt {
        match.end()
        hooks.reportDeadLetter(topic)
        return PostReceipt()
    }
}
