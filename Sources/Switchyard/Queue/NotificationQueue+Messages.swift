// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationQueue {
    /// Adds a typed message about nothing in particular, in place of waiting messages that match it.
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
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries, once.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) {
        put(message, .none, postingStyle, coalesceMask, modes, keeping) { $0.post(message) }
    }

    /// Adds a typed message about `subject`, in place of waiting messages that match it.
    ///
    /// On sender, messages match when their subjects do: the same instance, or equal values. A waiting entry
    /// keeps its subject alive. Otherwise as
    /// ``enqueue(_:postingStyle:coalesceMask:forModes:keeping:)-(Message,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - subject: the subject of the message.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that matching posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: the one of the matching posts that is made.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries, once.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) where Message.Subject: Sendable {
        put(message, Subject(optional: subject), postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject)
        }
    }

    /// Adds a typed message about an instance; otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:)``.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) where Message.Subject: AnyObject & Sendable {
        put(message, Subject(instance: subject), postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject)
        }
    }

    /// Adds a typed message about a subject that is not `Sendable`, on the queue's own thread alone: the
    /// queue posts it there, and releases it there, also when another thread removes it. Elsewhere, and
    /// on a thread that a dispatch queue or a task has borrowed, this stops the program. Otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:)``.
    ///
    /// Generic code that does not know its subject type to be `Sendable` gets this form, whatever the type
    /// is: give it the constraint `where Message.Subject: Sendable` to enqueue from any thread.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) {
        checkIsOwnThread(Message.self)
        putHere(
            message, Subject(optional: subject), postingStyle, coalesceMask, modes, keeping, subject
        ) {
            $0.post(message, subject: $1)
        }
    }

    /// Adds a typed message about an instance that is not `Sendable`, on the queue's own thread alone;
    /// elsewhere this stops the program.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) where Message.Subject: AnyObject {
        checkIsOwnThread(Message.self)
        putHere(
            message, Subject(instance: subject), postingStyle, coalesceMask, modes, keeping, subject
        ) {
            $0.post(message, subject: $1)
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

    /// The same as ``put(_:_:_:_:_:_:post:)``, with `object` kept on the calling thread, which is
    /// the queue's.
    private func putHere<Message: NotificationMessage>(
        _ message: Message, _ subject: Subject, _ style: PostingStyle,
        _ mask: NotificationCoalescing, _ modes: [RunLoop.Mode]?, _ keeping: Kept,
        _ object: Message.Subject,
        post: @escaping (NotificationCenter, Message.Subject) -> Void
    ) {
        // An object in its deinit can't be kept, nor is it: the message is queued without it.
        if style == .now || subject.isGone {
            return put(message, subject, style, mask, modes, keeping) { post($0, object) }
        }
        // The subject is in there too: a value is matched by a copy of it.
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
        let topic = Topic.queued(Message.self)
        let key = CoalescingKey(mask.keyParts, topic, subject, id)
        if style == .now, let isLeft = decidesNow(key, modes, keeping) {
            return isLeft ? post(center) : ()
        }
        let options = options(style, modes, keeping)
        if subject.isGone {
            let alone = QueuedMessage(topic) { $0.post(message) }
            threadQueue.enqueue(
                QueuedPost(alone, .none), options, keyOfDying(mask, topic), reportingTo: center)
            reportGone(topic)
        } else {
            threadQueue.enqueue(
                QueuedPost(QueuedMessage(topic, post), subject), options, key, reportingTo: center)
        }
        threadQueue.warnIfOnPoolThread(topic, to: center)
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
