// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// The technique of Apple's *Delivering Notifications To Particular Threads*: a class that wants its
/// notifications on one thread catches them wherever they are posted, and takes each over itself.
///
/// A port does what Apple's does there; the names are those of the page.
final class ThreadedByHand: PortDelegate, @unchecked Sendable {
    // Sendable: `notifications` is used with `notificationLock` held; the rest is set once, on the
    // notification thread, before the class observes anything.

    /// The notifications that were posted on other threads and not processed yet.
    private var notifications: [Notification] = []
    private let notificationLock = NSLock()
    private var notificationThread: Thread?
    private let notificationPort = ThreadPort()
    private let recorder: Recorder

    init(_ recorder: Recorder) { self.recorder = recorder }

    /// Makes the calling thread the one on which notifications are processed.
    func setUpThreadingSupport() {
        if notificationThread != nil { return }
        notificationThread = Thread.current
        notificationPort.setDelegate(self)
        RunLoop.current.add(notificationPort, forMode: .common)
    }

    func register() {
        NotificationCenter.default.observe(
            .jobDone, with: self, ThreadedByHand.processNotification)
    }

    /// Called on the posting thread, and again on the notification thread.
    func processNotification(_ notification: Notification) {
        guard Thread.current === notificationThread else {
            notificationLock.withLock { notifications.append(notification) }
            // A message without content: it says only that there is something in the array.
            _ = notificationPort.send(before: Date(), components: nil, from: nil, reserved: 0)
            return
        }
        recorder.processed(notification)
    }

    /// Called on the notification thread's run loop for each message; one may come after another has
    /// taken all there was.
    func handleMachMessage(_ message: PortMessage) {
        while let notification = nextNotification() { processNotification(notification) }
    }

    private func nextNotification() -> Notification? {
        notificationLock.withLock {
            notifications.isEmpty ? nil : notifications.removeFirst()
        }
    }

    func handle(_ message: PortMessage) { handleMachMessage(message) }

    /// Ends the threading support. The run loop would keep the port otherwise, and the port would stay valid.
    func tearDownThreadingSupport() {
        NotificationCenter.default.removeObserver(self)
        notificationPort.invalidate()
    }
}
