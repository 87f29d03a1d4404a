// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

extension NotificationQueue {
    /// The calling thread's queue for the caller's default center.
    static var ofCurrentThread: NotificationQueue {
        let threadQueue = ThreadPostQueue.current
        if let replacement = DefaultCenter.currentReplacement {
            return replacement.object(of: threadQueue) {
                NotificationQueue(notificationCenter: $0, threadQueue: threadQueue)
            }
        }
        if threadQueue.isMain { return ofMainThread }
        if let known = threadQueue.defaultQueue {
            return unsafeDowncast(known, to: NotificationQueue.self)
        }
        let queue = NotificationQueue(
            notificationCenter: DefaultCenter.shared, threadQueue: threadQueue)
        threadQueue.keepDefaultQueue(queue)
        return queue
    }

    /// The main thread's queue for the process's default center, for any thread.
    static let ofMainThread = NotificationQueue(
        notificationCenter: DefaultCenter.shared, threadQueue: .main)
}
