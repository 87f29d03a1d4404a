// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization

/// Threads that come, queue notifications, run their loop or do not, and go with some waiting.
enum QueueChurn {
    private static let posted = Atomic<Int>(0)
    private static let lost = Atomic<Int>(0)

    static func run(count: Int) {
        let center = Switchyard.NotificationCenter()
        center.onProblem { lost.wrappingAdd($0.count, ordering: .sequentiallyConsistent) }
        let token = center.observe(Notification.Name("n")) { _ in
            posted.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
        for _ in 0..<count / 4 { round(center) }
        let (before, postedBefore) = (ThreadChurn.Held(), posted.load(ordering: .relaxed))
        for _ in 0..<count { round(center) }
        print(before)
        print(ThreadChurn.Held(settledLike: before))
        print(posted.load(ordering: .relaxed) - postedBefore, "posted")
        print(ThreadChurn.isSanitized ? "sanitized" : "plain")
        token.cancel()
        exit(0)
    }

    /// One thread with seven entries: three are posted, and four wait when the thread ends.
    private static func round(_ center: Switchyard.NotificationCenter) {
        let expected = lost.load(ordering: .sequentiallyConsistent) + 4
        let thread = Thread {
            let queue = Switchyard.NotificationQueue(notificationCenter: center)
            let styles: [Switchyard.NotificationQueue.PostingStyle] = [.now, .asap, .whenIdle]
            for style in styles { enqueue(queue, style, nil) }
            _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            for style in styles.dropFirst() {
                enqueue(queue, style, [.common])
                enqueue(Switchyard.NotificationQueue(notificationCenter: center), style, [mode])
            }
        }
        thread.start()
        while lost.load(ordering: .sequentiallyConsistent) < expected { sched_yield() }
    }

    private static let mode = RunLoop.Mode("special")

    private static func enqueue(
        _ queue: Switchyard.NotificationQueue,
        _ style: Switchyard.NotificationQueue.PostingStyle, _ modes: [RunLoop.Mode]?
    ) {
        queue.enqueue(
            Notification(name: Notification.Name("n"), object: NSObject()), postingStyle: style,
            coalesceMask: [.onName, .onSender], forModes: modes)
    }
}
