// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import SwitchyardCore

// Switchyard's own forms of `enqueue` for notifications. They choose which of the matching posts is
// made, and whether the center keeps its notification.
extension NotificationQueue {
    /// Adds a notification, and chooses the entry that is posted, among this one and the waiting
    /// ones that match it.
    ///
    /// With ``Kept/first``, a waiting entry that matches stays, and the new notification is neither
    /// enqueued nor, with ``PostingStyle/now``, posted. Otherwise as
    /// ``enqueue(_:postingStyle:coalesceMask:forModes:)``.
    ///
    /// - Parameters:
    ///   - notification: the notification to post.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that matching posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: the one of the matching posts that is made.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    public func enqueue(
        _ notification: Notification, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept
    ) {
        put(notification, postingStyle, coalesceMask, modes, keeping)
    }

    /// Adds a notification that the center keeps for observers that come late, from when it is
    /// posted, until another of its name and object takes its place.
    ///
    /// Only one of the matching posts is made, and the center keeps its notification if that post
    /// has `retaining`. A notification whose object's deinit has begun is not kept. Otherwise as
    /// ``enqueue(_:postingStyle:coalesceMask:forModes:keeping:)``, and
    /// ``NotificationCenter/post(_:retaining:)``.
    ///
    /// - Parameters:
    ///   - notification: the notification to post.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that matching posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///   - keeping: the one of the matching posts that is made.
    ///   - retention: the notifications that the center keeps: the latest.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    public func enqueue(
        _ notification: Notification, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing = [.onName, .onSender],
        forModes modes: [RunLoop.Mode]? = nil, keeping: Kept = .latest,
        retaining retention: Retention
    ) {
        let subject = Subject(optional: notification.object)
        center.engine.checkCanBeKept(subject)
        put(
            .name(notification.name.rawValue), subject, postingStyle, coalesceMask, modes, keeping,
            post: { $0.post(notification, retaining: retention) },
            withoutSubject: { [notification = notification.storable] in $0.post(notification) })
    }
}
