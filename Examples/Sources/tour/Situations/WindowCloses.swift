// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

extension Notification.Name {
    fileprivate static let windowClosed = Notification.Name("windowClosed")
}

private final class Window: Sendable {}

/// An object that works on its own thread, and has to learn there when a window is closed.
private final class Indexer: Sendable {
    private let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    func windowClosed(_ notification: Notification) {
        let what = notification.object is Window ? "the window" : "something else"
        stage.record("the indexer hears that \(what) closed")
    }
}

extension Situation {
    static let windowCloses = Situation(
        name: "Posted by the user interface, handled by a worker",
        promise: """
            An object on a worker's thread hears there, on the thread's run loop, what the user \
            interface posts on main.
            """
    ) { stage in
        let worker = stage.thread("worker")
        let indexer = Indexer(stage)
        try stage.on(worker) {
            stage.record("the indexer registers, for this thread")
            stage.center.observe(
                .windowClosed, with: indexer, Indexer.windowClosed, on: .thisThread)
        }
        try stage.onMain {
            stage.record("a window closes")
            stage.center.post(name: .windowClosed, object: Window())
        }
        try stage.expect([
            "worker: the indexer registers, for this thread", "main: a window closes",
            "worker: the indexer hears that the window closed",
        ])
    }
}
