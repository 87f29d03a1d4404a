// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Threads that come, queue notifications, run their loop or do not, and go with some waiting.
enum QueueChurn {
    static func run(count: Int) {
        let center = Switchyard.NotificationCenter()
        nonisolated(unsafe) var posted = 0
        nonisolated(unsafe) var lost = 0
        center.onProblem { lost += $0.count }
        let token = center.observe(Notification.Name("n")) { _ in posted += 1 }
        for _ in 0..<count / 4 { round(center) }
        (posted, lost) = (0, 0)
        print(ThreadChurn.Held())
        for _ in 0..<count { round(center) }
        print(ThreadChurn.Held())
        print(posted, lost)
        print(ThreadChurn.isSanitized ? "sanitized" : "plain")
        token.cancel()
        exit(0)
    }

    /// One thread after the other, so what they count needs no lock. Three are posted, and four
    /// are waiting at the end.
    private static func round(_ center: Switchyard.NotificationCenter) {
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
        // Until the thread is really gone: what waits there is reported by then.
        while !thread.isFinished { sched_yield() }
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
