// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import ThreadNames

extension Notification.Name {
    fileprivate static let downloadEnded = Notification.Name("downloadEnded")
}

extension Situation {
    static let postingThread = Situation(
        name: "On the posting thread, by default",
        promise: """
            A notification is delivered on the thread in which it is posted, which may not be the \
            thread in which an observer registered itself.
            """
    ) { stage in
        let token = try stage.onMain {
            stage.record("the observer registers")
            return stage.center.observe(.downloadEnded) { _ in stage.record("receives") }
        }
        defer { token.cancel() }
        try stage.on(ThreadName.queue("downloads")) {
            stage.record("posts")
            stage.center.post(name: .downloadEnded, object: nil)
            stage.record("post has returned")
        }
        try stage.expect([
            "main: the observer registers", "downloads: posts", "downloads: receives",
            "downloads: post has returned",
        ])
    }

    static let redirectedToMain = Situation(
        name: "Posted in the background, handled on main",
        promise: """
            The same notification reaches an observer that asked for main on the main thread, \
            whatever thread posts it.
            """
    ) { stage in
        let token = stage.center.observe(.downloadEnded, on: .main) { _ in
            stage.record("receives")
        }
        defer { token.cancel() }
        stage.record("registers an observer on main")
        try stage.on(ThreadName.queue("downloads")) {
            stage.record("posts")
            stage.center.post(name: .downloadEnded, object: nil)
        }
        try stage.expect([
            "tour: registers an observer on main", "downloads: posts", "main: receives",
        ])
    }
}
