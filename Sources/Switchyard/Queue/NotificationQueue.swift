// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// A buffer of notifications that a thread's run loop posts to a center, later.
///
/// The interface is that of Apple's
/// [NotificationQueue](https://developer.apple.com/documentation/foundation/notificationqueue);
/// Switchyard's own are the forms that take typed messages, and those with `keeping`.
///
/// A queue belongs to the thread that made it, and posts there, whoever enqueues. Code on the main
/// thread or the main dispatch queue makes queues of the main thread, also under `dispatchMain()`
/// and an async `@main`, where the main run loop never runs and the main queue posts in its place.
///
/// Notifications of one style are posted first in, first out, over all queues of the thread.
/// Entries that a handler enqueues are posted in the run loop's next pass. A run loop that a
/// handler runs goes on where the handler's own pass stands. No lock is held while a notification
/// is posted, so its observers may enqueue and dequeue.
///
/// A thread has to run its run loop, in a mode that was asked for, or nothing is posted. Threads of
/// dispatch queues and tasks run theirs only if the code there does; the first notification that
/// waits on such a thread is reported to the center's problem hook. Use ``main`` there.
///
/// A notification that still waits when the thread ends, or the process, is reported to the
/// center's problem hook; so is one that is enqueued for a thread that has ended. Nothing else is
/// lost: waiting notifications belong to the thread, and are posted also when the queue has gone.
///
/// A waiting notification keeps its object and `userInfo` alive. Notifications that another thread
/// enqueues are as unchecked as with Apple's `queue:`: object and `userInfo` must be safe to use on
/// both.
open class NotificationQueue: NSObject, @unchecked Sendable {
    // Sendable: the stored properties are constant. A subclass answers for its own.

    let center: NotificationCenter
    /// The posts that wait on the thread, in all of its queues.
    let threadQueue: ThreadPostQueue
    /// The number by which `threadQueue` knows this queue.
    let id: Int32

    /// The calling thread's queue for ``NotificationCenter/default``: one for each thread.
    ///
    /// In a test that puts another center in the place of the default one, it is a queue for that
    /// center, one for each thread, until the test ends.
    open class var `default`: NotificationQueue { ofCurrentThread }

    /// The main thread's queue for the process's ``NotificationCenter/default``, from any thread.
    ///
    /// Not Apple's. Any thread and task may enqueue here, and it is posted on the main thread, or
    /// the main dispatch queue where that runs in its place.
    public class var main: NotificationQueue { ofMainThread }

    /// A queue of the calling thread's that posts to a center.
    ///
    /// - Parameter notificationCenter: the center to which it posts. The queue keeps it alive.
    public init(notificationCenter: NotificationCenter) {
        center = notificationCenter
        threadQueue = .current
        id = threadQueue.state.withLock { $0.queues.open(notificationCenter) }
        super.init()
    }

    init(notificationCenter: NotificationCenter, threadQueue: ThreadPostQueue) {
        center = notificationCenter
        self.threadQueue = threadQueue
        id = threadQueue.state.withLock { $0.queues.open(notificationCenter) }
        super.init()
    }

    /// The class and address.
    override open var description: String {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        return "<\(type(of: self)) 0x\(String(address, radix: 16))>"
    }

    deinit {
        // The center may go with it: when the lock is free.
        let center = threadQueue.state.withLock { $0.queues.close(id) }
        withExtendedLifetime(center) {}
    }

    // MARK: - Apple's

    /// Adds a notification, in the default mode, in place of waiting notifications with the same
    /// name and object.
    ///
    /// - Parameters:
    ///   - notification: the notification to post.
    ///   - postingStyle: when.
    /// - Complexity: O(1).
    open func enqueue(_ notification: Notification, postingStyle: PostingStyle) {
        enqueue(
            notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender],
            forModes: nil)
    }

    /// Adds a notification, in place of waiting ones that match it.
    ///
    /// Notifications of this queue that wait and match are removed, whatever their style and modes.
    /// The new one has its own style and modes, and is the last in order.
    ///
    /// With ``PostingStyle/now`` it is posted before this returns if the run loop does not run, or
    /// runs in one of the modes; else it waits as with ``PostingStyle/asap``. From another thread
    /// than the queue's, it always waits so.
    ///
    /// A notification whose object's deinit has begun waits without the object, and the center's
    /// problem hook is told: nothing could keep that object alive. It is posted with the object if
    /// it is posted now.
    ///
    /// - Parameters:
    ///   - notification: the notification to post.
    ///   - postingStyle: when.
    ///   - coalesceMask: the properties that removed posts share with it.
    ///   - modes: the run-loop modes in which it may be posted; nil or none: the default mode.
    ///     `.common` stands for the loop's set, also for modes that join it later.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    open func enqueue(
        _ notification: Notification, postingStyle: PostingStyle,
        coalesceMask: NotificationCoalescing, forModes modes: [RunLoop.Mode]? = nil
    ) {
        put(notification, postingStyle, coalesceMask, modes, .latest)
    }

    /// Removes the waiting entries of this queue that match a notification.
    ///
    /// - Parameters:
    ///   - notification: the notification whose name and object are compared.
    ///   - coalesceMask: the kinds of match; none removes nothing.
    /// - Complexity: O(1), and O(removed). The first use of a mask looks at all waiting entries,
    ///   once.
    open func dequeueNotifications(
        matching notification: Notification, coalesceMask: NotificationCoalescing
    ) {
        if threadQueue.isEmpty { return }
        let topic = Topic.name(notification.name.rawValue)
        let subject = Subject(optional: notification.object)
        threadQueue.remove(CoalescingKey(coalesceMask.keyParts, topic, subject, id))
    }

    /// Removes the waiting entries of this queue that match a notification, with the mask as a
    /// number, as on Apple's systems.
    ///
    /// - Parameters:
    ///   - notification: the notification whose name and object are compared.
    ///   - coalesceMask: the sum of the raw values of ``NotificationCoalescing``.
    public final func dequeueNotifications(
        matching notification: Notification, coalesceMask: Int
    ) {
        dequeueNotifications(
            matching: notification,
            coalesceMask: NotificationCoalescing(rawValue: UInt(bitPattern: coalesceMask)))
    }
}

// MARK: - Shared by all forms

extension NotificationQueue {
    @inline(__always)
    func put(
        _ notification: Notification, _ style: PostingStyle, _ mask: NotificationCoalescing,
        _ modes: [RunLoop.Mode]?, _ keeping: Kept
    ) {
        if style == .now, threadQueue.isCurrent, threadQueue.isEmpty,
            threadQueue.postsNow(in: modes)
        {
            return center.post(notification)
        }
        let topic = Topic.name(notification.name.rawValue)
        let subject = Subject(optional: notification.object)
        let key = CoalescingKey(mask.keyParts, topic, subject, id)
        if style == .now, let isLeft = decidesNow(key, modes, keeping) {
            return isLeft ? center.post(notification) : ()
        }
        let options = options(style, modes, keeping)
        if subject.isGone {
            let post = QueuedPost(notification.storable, topic, .none)
            threadQueue.enqueue(
                post, options, keyOfDying(mask, topic), reportingTo: center)
            reportGone(topic)
        } else {
            threadQueue.enqueue(
                QueuedPost(notification, topic, subject), options, key, reportingTo: center)
        }
        threadQueue.warnIfOnPoolThread(topic, to: center)
    }

    /// Adds a post that `post` makes.
    ///
    /// - Parameter withoutSubject: makes the post in place of `post`, if the subject's deinit has
    ///   begun, so that the queue can't keep it until the post.
    func put(
        _ topic: Topic, _ subject: Subject, _ style: PostingStyle, _ mask: NotificationCoalescing,
        _ modes: [RunLoop.Mode]?, _ keeping: Kept, post: @escaping (NotificationCenter) -> Void,
        withoutSubject: @escaping (NotificationCenter) -> Void
    ) {
        let key = CoalescingKey(mask.keyParts, topic, subject, id)
        if style == .now, let isLeft = decidesNow(key, modes, keeping) {
            return isLeft ? post(center) : ()
        }
        let options = options(style, modes, keeping)
        if subject.isGone {
            threadQueue.enqueue(
                QueuedPost(QueuedMessage(topic, withoutSubject), .none), options,
                keyOfDying(mask, topic), reportingTo: center)
            reportGone(topic)
        } else {
            threadQueue.enqueue(
                QueuedPost(QueuedMessage(topic, post), subject), options, key, reportingTo: center)
        }
        threadQueue.warnIfOnPoolThread(topic, to: center)
    }

    /// Whether a post that is to be made now is still to be made, after coalescing; nil if it has
    /// to wait.
    @inline(__always)
    func decidesNow(
        _ key: borrowing CoalescingKey, _ modes: [RunLoop.Mode]?, _ keeping: Kept
    ) -> Bool? {
        guard threadQueue.isCurrent, threadQueue.postsNow(in: modes) else { return nil }
        return threadQueue.isEmpty
            || !threadQueue.coalesce(key, keepsFirst: keeping == .first, in: center)
    }

    /// The key of a post about an object in its deinit, which is posted without the object. No post
    /// that waits is about that object, since a waiting post keeps its object.
    func keyOfDying(_ mask: NotificationCoalescing, _ topic: Topic) -> CoalescingKey {
        CoalescingKey(mask.contains(.onSender) ? .nothing : mask.keyParts, topic, .none, id)
    }

    /// The style of a post: one that could not be posted now waits as asap does.
    @inline(__always)
    func options(
        _ style: PostingStyle, _ modes: [RunLoop.Mode]?, _ keeping: Kept
    ) -> EnqueueOptions {
        EnqueueOptions(
            queueID: id, style: style == .whenIdle ? .whenIdle : .asap, modes: Self.set(of: modes),
            keepsFirst: keeping == .first)
    }

    /// Nil for the default mode alone.
    @inline(__always)
    private static func set(of modes: [RunLoop.Mode]?) -> Set<RunLoop.Mode>? {
        guard let modes, !modes.isEmpty, modes != [.default] else { return nil }
        return Set(modes)
    }

    func reportGone(_ topic: Topic) {
        center.engine.report(
            DeliveryProblem(
                .objectIsGone,
                "\(topic) was enqueued from the deinit of its object, which can't be kept alive: it "
                    + "is posted without the object; post it at once, or enqueue it earlier",
                topic: "\(topic)"))
    }
}
