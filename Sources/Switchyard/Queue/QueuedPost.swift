// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A typed message that waits to be posted, with the closure that posts it.
final class QueuedMessage {
    let topic: Topic
    let post: (NotificationCenter) -> Void

    init(_ topic: Topic, _ post: @escaping (NotificationCenter) -> Void) {
        self.topic = topic
        self.post = post
    }
}

/// One post that waits in a queue, with the topic and subject that it is matched by.
///
/// Moved, never copied: a copy would retain all that it holds.
struct QueuedPost: ~Copyable, @unchecked Sendable {
    // Sendable: as unchecked as a named notification with Apple's `queue:`; the documentation of
    // the queue says so.

    // First, because it is released first: if the subject must not leave its thread, `message` sees
    // to it that the last reference is released there.
    let subject: Subject
    /// The notification to post, unless `message` is posted.
    let notification: Notification
    let message: QueuedMessage?
    let topicHash: UInt

    @inline(__always)
    init(_ notification: Notification, _ topic: Topic, _ subject: Subject) {
        self.notification = notification
        message = nil
        topicHash = topic.hash
        self.subject = subject
    }

    init(_ message: QueuedMessage, _ subject: Subject) {
        notification = Notification(name: Notification.Name(""))
        self.message = message
        topicHash = message.topic.hash
        self.subject = subject
    }

    var topic: Topic {
        if let message { return message.topic }
        return .name(notification.name.rawValue, hash: topicHash)
    }

    /// Whether the post has `topic`. The caller has found the hashes equal.
    @inline(__always)
    func has(_ topic: Topic) -> Bool {
        if let message { return message.topic == topic }
        return topic.isName && notification.name.rawValue == topic.name
    }

    /// Posts it, on the calling thread.
    @inline(__always)
    func post(on center: NotificationCenter) {
        if let message { return message.post(center) }
        center.post(notification, topic, subject)
    }
}

/// The state of a waiting post.
struct EnqueueOptions {
    /// The queue in which it waits.
    let queueID: Int32
    let style: LaneStyle
    /// Nil: the default mode.
    let modes: Set<RunLoop.Mode>?
    /// Whether a post that waits and matches stays, and this one is not enqueued.
    let keepsFirst: Bool
}

/// Posts that were taken out of a thread's post queue. They are released when its lock is free,
/// because that may run the user's code.
struct DiscardedPosts: ~Copyable {
    private final class Further {
        let post: QueuedPost
        init(_ post: consuming QueuedPost) { self.post = post }
    }

    private var first: QueuedPost?
    private var others: [Further] = []

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func add(_ post: consuming QueuedPost) {
        if first == nil {
            first = .some(post)
        } else {
            others.append(Further(post))
        }
    }
}
