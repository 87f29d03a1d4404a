// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// The same class, when the center does the work.
final class ThreadedInOneLine: Sendable {
    private let recorder: Recorder

    init(_ recorder: Recorder) { self.recorder = recorder }

    func register() {
        NotificationCenter.default.observe(
            .jobDone, with: self, ThreadedInOneLine.processNotification, on: .thisThread)
    }

    func processNotification(_ notification: Notification) { recorder.processed(notification) }
}
