// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationQueue {
    /// Adds a typed message about nothing in particular, in place of waiting messages that match
    /// it.
    ///
    /// On name, messages match when they have the same type, or, if the type has a name, the same
    /// name. Otherwise as ``enqueue(_:postingStyle:coalesceMask:forModes:)``.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that matching posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: the one of the matching posts that is made.
    ///   - retention: whether the center keeps the message, from when it is posted, for observers
    ///     that come late.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention? = nil
    ) {
        put(message, .none, postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, keeping: retention)
        }
    }

    /// Adds a typed message about `subject`, in place of waiting messages that match it.
    ///
    /// On sender, messages match when their subjects do: the same instance, or equal values. A
    /// waiting entry keeps its subject alive. Otherwise as
    /// ``enqueue(_:postingStyle:coalesceMask:forModes:keeping:retaining:)-(Message,_,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - subject: the subject of the message.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that matching posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: the one of the matching posts that is made.
    ///   - retention: whether the center keeps the message, from when it is posted, for observers
    ///     that come late.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention? = nil
    ) where Message.Subject: Sendable {
        let matched = Subject(optional: subject)
        checkCanBeKept(matched, retention)
        put(message, matched, postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject, keeping: retention)
        }
    }

    /// Adds a typed message about an instance; otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:retaining:)``.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention? = nil
    ) where Message.Subject: AnyObject & Sendable {
        put(message, Subject(instance: subject), postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject, keeping: retention)
        }
    }

    /// Adds a typed message about a subject that is not `Sendable`, on the queue's own thread
    /// alone: the queue posts it there, and releases it there, also when another thread removes it.
    /// Elsewhere, and on a thread that a dispatch queue or a task has borrowed, this stops the
    /// program. Otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:retaining:)``.
    ///
    /// Generic code that does not know its subject type to be `Sendable` gets this form, whatever
    /// the type is: give it the constraint `where Message.Subject: Sendable` to enqueue from any
    /// thread.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention? = nil
    ) {
        checkIsOwnThread(Message.self)
        let matched = Subject(optional: subject)
        checkCanBeKept(matched, retention)
        putHere(message, matched, postingStyle, coalesceMask, modes, keeping, subject) {
            $0.post(message, subject: $1, keeping: retention)
        }
    }

    /// Adds a typed message about an instance that is not `Sendable`, on the queue's own thread
    /// alone; elsewhere this stops the program.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention? = nil
    ) where Message.Subject: AnyObject {
        checkIsOwnThread(Message.self)
        putHere(
            message, Subject(instance: subject), postingStyle, coalesceMask, modes, keeping, subject
        ) {
            $0.post(message, subject: $1, keeping: retention)
        }
    }

    private func checkIsOwnThread<Message: NotificationMessage>(_ type: Message.Type) {
        Misuse.unless(
            threadQueue.isCurrent,
            "a \(Message.self) about a \(Message.Subject.self), which is not Sendable, was enqueued "
                + "from another thread than the queue's, \(threadQueue.label); make the subject "
                + "Sendable, or enqueue on that thread")
        Misuse.unless(
            MainQueue.isCurrent || !PoolThread.isCurrent,
            "a \(Message.self) about a \(Message.Subject.self), which is not Sendable, was enqueued on "
                + "a thread that a dispatch queue or a task has borrowed, where nobody runs the loop "
                + "that would post it; make the subject Sendable and use the queue of a thread of yours"
        )
    }

    /// Puts a message into the queue, as ``put(_:_:_:_:_:_:post:)`` does, with `object` kept on the
    /// calling thread, which is the queue's.
    private func putHere<Message: NotificationMessage>(
        _ message: Message, _ subject: Subject, _ style: PostingStyle,
        _ mask: NotificationCoalescing, _ modes: [RunLoop.Mode]?, _ keeping: Kept,
        _ object: Message.Subject,
        post: @escaping (NotificationCenter, Message.Subject) -> Void
    ) {
        // An object in its deinit can't be kept: the message is queued without it.
        if subject.isGone || style == .now && threadQueue.postsNow(in: modes) {
            return put(message, subject, style, mask, modes, keeping) { post($0, object) }
        }
        // Confines the subject as well: a value is matched by a copy of it.
        let kept = ThisThreadContext.currentHome.confine((object, subject))
        put(message, subject, style, mask, modes, keeping) { center in
            if let (object, _) = kept.value { post(center, object) }
        }
    }

    private func put<Message: NotificationMessage>(
        _ message: Message, _ subject: Subject, _ style: PostingStyle,
        _ mask: NotificationCoalescing, _ modes: [RunLoop.Mode]?, _ keeping: Kept,
        post: @escaping (NotificationCenter) -> Void
    ) {
        put(
            .queued(Message.self), subject, style, mask, modes, keeping, post: post,
            withoutSubject: { $0.post(message) })
    }

    private func checkCanBeKept(_ subject: Subject, _ retention: Retention?) {
        if retention != nil { center.engine.checkCanBeKept(subject) }
    }
}

extension NotificationCenter {
    /// Posts a message that has waited in a queue.
    fileprivate func post<Message: NotificationMessage>(
        _ message: Message, keeping retention: Retention?
    ) {
        guard let retention else { return post(message) }
        post(message, retaining: retention)
    }

    /// Posts a message about a subject that has waited in a queue.
    fileprivate func post<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, keeping retention: Retention?
    ) {
        guard let retention else { return post(message, subject: subject) }
        post(message, subject: subject, retaining: retention)
    }
}

extension Topic {
    /// The topic by which messages of a type are coalesced: their name, if they have one.
    fileprivate static func queued<Message: NotificationMessage>(_ type: Message.Type) -> Topic {
        if let carrier = Message._carrier as? NamedCarrier<Message> {
            return .name(carrier.conversion.name.rawValue)
        }
        return .type(type)
    }
}
