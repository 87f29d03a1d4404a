// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationQueue {
    /// Adds a typed message about nothing in particular, in place of those that wait and match it.
    ///
    /// On name, messages match when they have the same type, or, if the type has a name, the same
    /// name. Otherwise as ``enqueue(_:postingStyle:coalesceMask:forModes:)``.
    ///
    /// - Parameters:
    ///   - message: what is posted.
    ///   - postingStyle: when.
    ///   - coalesceMask: what those that match have in common with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: which of those that match is posted.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at what waits, once.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) {
        put(message, .none, postingStyle, coalesceMask, modes, keeping) { $0.post(message) }
    }

    /// Adds a typed message about `subject`, in place of those that wait and match it.
    ///
    /// On sender, messages match when their subjects do: the same instance, or equal values. What
    /// waits keeps its subject alive. Otherwise as
    /// ``enqueue(_:postingStyle:coalesceMask:forModes:keeping:)-(Message,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - message: what is posted.
    ///   - subject: what it is about.
    ///   - postingStyle: when.
    ///   - coalesceMask: what those that match have in common with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: which of those that match is posted.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at what waits, once.
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
    /// queue posts it there, and lets go of it there. Elsewhere this stops the program. Otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:)``.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) {
        checkIsOwnThread(Message.self)
        put(message, Subject(optional: subject), postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject)
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
        put(message, Subject(instance: subject), postingStyle, coalesceMask, modes, keeping) {
            $0.post(message, subject: subject)
        }
    }

    private func checkIsOwnThread<Message: NotificationMessage>(_ type: Message.Type) {
        precondition(
            backlog.isCurrent,
            "a \(Message.self) about a \(Message.Subject.self), which is not Sendable, was enqueued "
                + "from another thread than the queue's, \(backlog.label); make the subject "
                + "Sendable, or enqueue on that thread")
    }

    private func put<Message: NotificationMessage>(
        _ message: Message, _ subject: Subject, _ style: PostingStyle,
        _ mask: NotificationCoalescing, _ modes: [RunLoop.Mode]?, _ keeping: Kept,
        post: @escaping (NotificationCenter) -> Void
    ) {
        let topic = Topic.queued(Message.self)
        let key = CoalescingKey(mask, topic, subject, book)
        if style == .now, let isLeft = decidesNow(key, modes, keeping) {
            return isLeft ? post(center) : ()
        }
        let place = place(style, modes, keeping)
        if subject.isGone {
            let alone = QueuedMessage(topic) { $0.post(message) }
            backlog.enqueue(
                QueuedPost(alone, .none), place, CoalescingKey(mask, topic, .none, book),
                reportingTo: center)
            reportGone(topic)
        } else {
            backlog.enqueue(
                QueuedPost(QueuedMessage(topic, post), subject), place, key, reportingTo: center)
        }
        backlog.tellIfLent(topic, to: center)
    }
}

extension Topic {
    /// The topic by which messages of a type are coalesced: their name, if they have one.
    fileprivate static func queued<Message: NotificationMessage>(_ type: Message.Type) -> Topic {
        if let carrier = Message.carrier as? NamedCarrier<Message> {
            return .name(carrier.conversion.name.rawValue)
        }
        return .type(type)
    }
}
