// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization
internal import ThreadNames

extension Notification.Name {
    fileprivate static let saved = Notification.Name("saved")
}

extension Situation {
    static let asynchronousPosting = Situation(
        name: "Posted later, by a queue",
        promise: """
            A notification queue posts asynchronously: enqueuing returns at once, and the run loop \
            posts when the current callout is over.
            """
    ) { stage in
        let token = stage.center.observe(.saved) { _ in stage.record("received") }
        defer { token.cancel() }
        try stage.on(stage.thread("editor")) {
            let queue = NotificationQueue(notificationCenter: stage.center)
            stage.record("before")
            queue.enqueue(Notification(name: .saved), postingStyle: .asap)
            stage.record("after")
        }
        try stage.expect(["editor: before", "editor: after", "editor: received"])
    }

    static let coalesced = Situation(
        name: "Three become one, unless they are posted now",
        promise: """
            Notifications that wait with the same name and object are coalesced into one. Those \
            of style now are posted before enqueuing returns, so three stay three.
            """
    ) { stage in
        let token = stage.center.observe(.saved) { notification in
            stage.record("received \(notification.userInfo?["number"] ?? "?")")
        }
        defer { token.cancel() }
        let editor = stage.thread("editor")
        for style in [NotificationQueue.PostingStyle.asap, .now] {
            try stage.on(editor) {
                let queue = NotificationQueue(notificationCenter: stage.center)
                stage.record("three \(style == .now ? "now" : "as soon as possible")")
                for number in 1...3 {
                    let saved = Notification(name: .saved, userInfo: ["number": number])
                    queue.enqueue(saved, postingStyle: style)
                }
                stage.record("enqueued")
            }
            // Runs the editor's loop once, so that the first part is over.
            try stage.on(editor) {}
        }
        try stage.expect([
            "editor: three as soon as possible", "editor: enqueued", "editor: received 3",
            "editor: three now", "editor: received 1", "editor: received 2", "editor: received 3",
            "editor: enqueued",
        ])
    }

    static let idle = Situation(
        name: "When idle, if the thread is ever idle",
        promise: """
            What waits until its thread is idle is not posted when the thread ends before. It is \
            reported, by name. A thread that runs its run loop posts it.
            """
    ) { stage in
        let token = stage.center.observe(.saved) { _ in stage.record("received") }
        defer { token.cancel() }
        let reported = DispatchSemaphore(value: 0)
        let report = Mutex("")
        stage.center.onProblem { problem in
            report.withLock { $0 = "reported: \(problem.count) lost, \(problem.kind)" }
            reported.signal()
        }
        for runsItsLoop in [false, true] {
            let ended = DispatchSemaphore(value: 0)
            let thread = Thread {
                ThreadName.set("editor")
                let queue = NotificationQueue(notificationCenter: stage.center)
                queue.enqueue(Notification(name: .saved), postingStyle: .whenIdle)
                stage.record(runsItsLoop ? "enqueued, runs its loop" : "enqueued, and ends")
                if runsItsLoop { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
                ended.signal()
            }
            thread.start()
            try stage.wait(for: ended, "the thread's end")
            if runsItsLoop { continue }
            // The report comes when the thread has really ended, and names it.
            try stage.wait(for: reported, "the report")
            stage.record(report.withLock { $0 })
        }
        try stage.expect([
            "editor: enqueued, and ends", "tour: reported: 1 lost, undeliverable",
            "editor: enqueued, runs its loop", "editor: received",
        ])
    }
}
