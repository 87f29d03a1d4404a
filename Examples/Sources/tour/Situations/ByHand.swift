// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import ThreadNames

extension Notification.Name {
    fileprivate static let jobDone = Notification.Name("jobDone")
}

/// An observer that redirects by hand, as in Apple's documentation: notifications from other
/// threads go into an array, and a port wakes the observer's thread.
private final class ByHand: PortDelegate, @unchecked Sendable {
    // Sendable: `lock` guards `notifications`; `thread` is set before the first notification.
    private var notifications: [Notification] = []
    private let lock = NSLock()
    private var thread: Thread?
    private let port = ThreadPort()
    private let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    func setUpThreadingSupport() {
        thread = Thread.current
        port.setDelegate(self)
        RunLoop.current.add(port, forMode: .common)
        stage.center.observe(.jobDone, with: self, ByHand.processNotification)
    }

    func processNotification(_ notification: Notification) {
        if Thread.current === thread { return stage.record("by hand: processed") }
        stage.record("by hand: put into the array")
        lock.withLock { notifications.append(notification) }
        _ = port.send(before: Date(), components: nil, from: nil, reserved: 0)
    }

    func handle(_ message: PortMessage) {
        while let next = lock.withLock({ notifications.isEmpty ? nil : notifications.removeFirst() }
        ) {
            processNotification(next)
        }
    }

    func end() { port.invalidate() }
}

/// An observer that redirects with one line of Switchyard.
private final class OneLine: Sendable {
    private let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    func register() {
        stage.center.observe(
            .jobDone, with: self, OneLine.processNotification, on: .thisThread)
    }

    func processNotification(_ notification: Notification) { stage.record("one line: processed") }
}

extension Situation {
    static let byHand = Situation(
        name: "Apple's by-hand redirection beside ours",
        promise: """
            A class that redirects its notifications to its thread with an array, a lock and a port \
            works as documented, and one line does the same.
            """
    ) { stage in
        let worker = stage.thread("worker")
        let (byHand, oneLine) = (ByHand(stage), OneLine(stage))
        try stage.on(worker) {
            byHand.setUpThreadingSupport()
            oneLine.register()
        }
        try stage.on(ThreadName.queue("jobs")) {
            for _ in 1...2 { stage.center.post(name: .jobDone, object: nil) }
        }
        try stage.expect(
            on: "jobs", ["by hand: put into the array", "by hand: put into the array"], ofTotal: 6)
        for way in ["by hand", "one line"] {
            let processed = stage.recorder.events.filter {
                $0.thread == "worker" && $0.what == "\(way): processed"
            }
            try stage.expect(processed.count == 2, "\(way), \(processed.count) of 2 were processed")
        }
        byHand.end()
    }
}
