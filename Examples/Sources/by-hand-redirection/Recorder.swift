// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

extension Notification.Name {
    static let jobDone = Notification.Name("JobDone")
}

/// Prints what was processed, and where.
final class Recorder: Sendable {
    private let worker: DeliveryThread
    /// Signalled for each notification.
    private let processed = DispatchSemaphore(value: 0)

    init(worker: DeliveryThread) { self.worker = worker }

    func processed(_ notification: Notification) {
        let number = notification.userInfo?["number"] ?? "?"
        let origin = notification.userInfo?["postedOn"] ?? "?"
        print("  \(number) was posted on \(origin), processed on \(threadName)")
        processed.signal()
    }

    /// Posts three times: twice on a thread called poster, once on the worker, and waits for each to
    /// be processed.
    func post(to center: NotificationCenter = .default) {
        let poster = DeliveryThread(name: "poster")
        for (number, thread) in [(1, poster), (2, poster), (3, worker)] {
            thread.perform {
                center.post(
                    name: .jobDone, object: nil,
                    userInfo: ["number": number, "postedOn": thread.name])
            }
            if processed.wait(timeout: .now() + 60) == .timedOut {
                print("  \(number) did not come")
                exit(1)
            }
        }
    }

    private var threadName: String {
        Thread.current === worker.thread ? worker.name : "another thread"
    }
}
