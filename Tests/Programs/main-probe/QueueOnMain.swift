// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// The main thread's notification queue, which another thread fills as well.
enum QueueOnMain {
    static let center = Switchyard.NotificationCenter()
    nonisolated(unsafe) static var tokens: [Switchyard.NotificationCenter.ObservationToken] = []

    /// A subject that is not Sendable, so that its messages can be enqueued on the queue's own
    /// thread alone.
    private final class Document {}

    private struct Saved: NotificationMessage { typealias Subject = Document }

    static func enqueue(
        _ queue: Switchyard.NotificationQueue, _ name: String,
        _ style: Switchyard.NotificationQueue.PostingStyle, _ modes: [RunLoop.Mode]? = nil
    ) {
        queue.enqueue(
            Notification(name: Notification.Name(name)), postingStyle: style, coalesceMask: [],
            forModes: modes)
    }

    static func on(_ name: String, _ body: @escaping @Sendable () -> Void) {
        tokens.append(center.observe(Notification.Name(name)) { _ in body() })
    }

    static func start(_ runMain: () -> Void) {
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { note in
            MainActor.assertIsolated()
            print(note.name.rawValue)
        }
        let queue = Switchyard.NotificationQueue(notificationCenter: center)
        on("asap") {
            enqueue(queue, "asap from asap", .asap)
            enqueue(queue, "now from asap", .now)
        }
        on("idle") {
            Thread.detachNewThread {
                enqueue(queue, "now from elsewhere", .now)
            }
        }
        on("now from elsewhere") {
            // The queue is the same in a block of the main queue.
            DispatchQueue.main.async {
                MainActor.assertIsolated()
                let same = Switchyard.NotificationQueue.default
                print(same === main ? "same queue" : "another queue")
                enqueue(queue, "now from a block", .now)
                Thread.detachNewThread { enqueue(queue, "idle from elsewhere", .whenIdle) }
            }
        }
        on("idle from elsewhere") {
            enqueue(queue, "asap before the end", .asap, [.common])
            enqueue(queue, "end", .whenIdle)
        }
        on("end") { exit(0) }
        main = Switchyard.NotificationQueue.default
        enqueue(queue, "idle", .whenIdle)
        enqueue(queue, "asap", .asap)
        tokens.append(center.observe(Saved.self) { _ in print("saved") })
        queue.enqueue(Saved(), subject: Document(), postingStyle: .now)
        queue.enqueue(Saved(), subject: Document(), postingStyle: .asap)
        enqueue(queue, "common", .asap, [.common])
        print("main runs")
        runMain()
    }

    nonisolated(unsafe) private static var main: Switchyard.NotificationQueue?

    static func neverRuns() {
        center.onProblem { print($0.description) }
        let queue = Switchyard.NotificationQueue(notificationCenter: center)
        enqueue(queue, "one", .asap)
        enqueue(queue, "two", .whenIdle)
        enqueue(queue, "one", .asap, [RunLoop.Mode("special")])
        print("main ends")
    }
}
