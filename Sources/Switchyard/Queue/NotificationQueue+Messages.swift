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
        put(.queued(Message.self), .none, postingStyle, coalesceMask, modes, keeping) {
            center.post(message)
        } waiting: {
            .message(QueuedMessage { $0.post(message) })
        }
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
    ) {
        let key = Subject(optional: subject)
        put(.queued(Message.self), key, postingStyle, coalesceMask, modes, keeping) {
            center.post(message, subject: subject)
        } waiting: {
            if key.isGone { return .message(QueuedMessage { $0.post(message) }) }
            return .message(QueuedMessage { $0.post(message, subject: subject) })
        }
    }

    /// Adds a typed message about an instance; otherwise as
    /// ``enqueue(_:subject:postingStyle:coalesceMask:forModes:keeping:)``.
    public func enqueue<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest
    ) where Message.Subject: AnyObject {
        let key = Subject(instance: subject)
        put(.queued(Message.self), key, postingStyle, coalesceMask, modes, keeping) {
            center.post(message, subject: subject)
        } waiting: {
            if key.isGone { return .message(QueuedMessage { $0.post(message) }) }
            return .message(QueuedMessage { $0.post(message, subject: subject) })
        }
    }
}

extension Topic {
    /// What messages of a type are coalesced by: their name, if they have one.
    fileprivate static func queued<Message: NotificationMessage>(_ type: Message.Type) -> Topic {
        if let carrier = Message.carrier as? NamedCarrier<Message> {
            return .name(carrier.conversion.name.rawValue)
        }
        return .type(type)
    }
}
