// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
internal import ThreadNames

private struct Connected: NotificationMessage {
    let host: String
}

extension Situation {
    static let comesLate = Situation(
        name: "A window opens late",
        promise: """
            An observer that is registered after a post hears the latest value first, if both sides have asked for \
            that, and then what is posted. Others hear what is posted from then on.
            """
    ) { stage in
        stage.record("the program connects to alpha")
        stage.center.post(Connected(host: "alpha"), retaining: .latest)
        stage.record("the program connects to beta")
        stage.center.post(Connected(host: "beta"), retaining: .latest)
        let window = stage.center.observe(Connected.self, options: .replayingLatest) {
            stage.record("the window shows \($0.host)")
        }
        let log = stage.center.observe(Connected.self) { stage.record("the log notes \($0.host)") }
        defer { withExtendedLifetime([window, log]) {} }
        stage.record("the program connects to gamma")
        stage.center.post(Connected(host: "gamma"), retaining: .latest)
        try stage.expect([
            "tour: the program connects to alpha", "tour: the program connects to beta",
            "tour: the window shows beta", "tour: the program connects to gamma",
            "tour: the window shows gamma", "tour: the log notes gamma",
        ])
    }
}
