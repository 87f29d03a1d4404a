// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A typed message that waits to be posted: what posts it.
final class QueuedMessage {
    let post: (NotificationCenter) -> Void
    init(_ post: @escaping (NotificationCenter) -> Void) { self.post = post }
}

/// One post that waits in a queue, with what it is matched by.
struct QueuedPost: @unchecked Sendable {
    // Sendable: as unchecked as a named notification with Apple's `queue:`; the documentation of
    // the queue says so.

    enum Payload {
        case notification(Notification)
        case message(QueuedMessage)
    }

    let payload: Payload
    let topic: Topic
    let subject: Subject
    /// The queue that it waits in, as its backlog knows it.
    let book: Int

    /// Posts it, on the calling thread.
    func post(on center: NotificationCenter) {
        switch payload {
        case .notification(let notification): center.post(notification, topic, subject)
        case .message(let message): message.post(center)
        }
    }
}

/// Posts that were taken out of a backlog, to be let go when its lock is free: that may be the
/// user's code.
struct DiscardedPosts {
    private var first: QueuedPost?
    private var others: [QueuedPost] = []

    var isEmpty: Bool { first == nil }

    mutating func add(_ post: consuming QueuedPost?) {
        if first == nil {
            first = post
        } else if let post {
            others.append(post)
        }
    }
}

/// What is asked of a backlog for one post.
struct EnqueueRequest {
    /// Nil once the backlog has it.
    var post: QueuedPost?
    let topic: Topic
    let subject: Subject
    let book: Int
    /// For reports.
    let center: NotificationCenter
    let style: NotificationQueue.PostingStyle
    /// Nil: the default mode.
    let modes: Set<RunLoop.Mode>?
    let key: CoalescingKey?
    /// Whether a post that waits and matches stays, in place of this one.
    let keepsFirst: Bool
    var equality = ValueEquality()
    var discarded = DiscardedPosts()
}

/// What came of a request.
enum EnqueueOutcome {
    case done
    /// The run loop has to be told.
    case arm(Arming)
    /// So much waits that it is reported.
    case report(Arming?, waiting: Int)
    /// The user's `==` has to be asked first.
    case ask([ValueEquality.Question])
    /// The thread has ended.
    case ended
}
