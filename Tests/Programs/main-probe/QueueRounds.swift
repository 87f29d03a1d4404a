// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Notifications that wait several at a time, again and again, where the main run loop never runs.
@MainActor enum QueueRounds {
    private static let center = Switchyard.NotificationCenter()
    private static let queue = Switchyard.NotificationQueue(notificationCenter: center)
    private static var heard = 0
    private static let rounds = 100
    private static let names = ["asap", "asap too", "idle", "idle too"]

    /// Exits with status 0 when everything was heard, and with 1 when the queue went deaf.
    static func start() {
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { _ in
            MainActor.assumeIsolated { hear() }
        }
        enqueueRound(after: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { exit(1) }
    }

    private static func hear() {
        heard += 1
        guard heard % names.count == 0 else { return }
        if heard == rounds * names.count {
            print("heard \(heard)")
            exit(0)
        }
        enqueueRound(after: 10)
    }

    /// Enqueues when the main queue has run all blocks that were on their way.
    private static func enqueueRound(after blocks: Int) {
        DispatchQueue.main.async {
            if blocks > 0 { enqueueRound(after: blocks - 1) } else { enqueueRound() }
        }
    }

    private static func enqueueRound() {
        for name in names {
            let style: Switchyard.NotificationQueue.PostingStyle =
                name.hasPrefix("asap") ? .asap : .whenIdle
            queue.enqueue(
                Notification(name: Notification.Name(name)), postingStyle: style, coalesceMask: [])
        }
        // These entries have lanes of their own, which are empty when the main queue gets to them.
        let gone = Notification(name: Notification.Name("gone"))
        for style in [Switchyard.NotificationQueue.PostingStyle.asap, .whenIdle] {
            queue.enqueue(gone, postingStyle: style, coalesceMask: [], forModes: [.common])
        }
        queue.dequeueNotifications(matching: gone, coalesceMask: .onName)
    }

    /// The main run loop comes by, ignores what is idle, and never runs again.
    static func afterLoop() {
        let token = Switchyard.NotificationCenter.default.observe(Notification.Name("idle")) { _ in
            print("heard idle")
            exit(0)
        }
        let enqueued = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Switchyard.NotificationQueue.main.enqueue(
                Notification(name: Notification.Name("idle")), postingStyle: .whenIdle)
            enqueued.signal()
        }
        enqueued.wait()
        for _ in 0..<10 { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { exit(1) }
        withExtendedLifetime(token) { dispatchMain() }
    }
}
