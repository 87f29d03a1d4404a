// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

private struct Asked: NotificationMessage {}

extension Situation {
    static let postWaits = Situation(
        name: "A post waits for its observers",
        promise: """
            Posting is synchronous: it returns when every observer on the posting thread has \
            received and processed the notification, however slow.
            """
    ) { stage in
        let token = stage.center.observe(Asked.self) { _ in
            // The sleep makes this the slow observer of the situation.
            Thread.sleep(forTimeInterval: 0.1)
            stage.record("received")
        }
        defer { token.cancel() }
        stage.record("before")
        stage.center.post(Asked())
        stage.record("after")
        try stage.expect(["tour: before", "tour: received", "tour: after"])
    }
}
