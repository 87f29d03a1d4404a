// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization

extension Notification.Name {
    fileprivate static let saved = Notification.Name("saved")
}

/// An observer from `init` to `deinit`, as in the documentation.
private final class Log: Sendable {
    private let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
        stage.center.observe(.saved, with: self, Log.saved)
    }

    deinit {
        // The removal is not necessary, because the observation holds its object weakly, and harmless.
        stage.center.removeObserver(self)
        stage.record("deinit")
    }

    func saved(_ notification: Notification) { stage.record("the log hears it") }
}

extension Situation {
    static let initAndDeinit = Situation(
        name: "From init to deinit",
        promise: """
            An observer that registers in init and is removed in deinit hears what is posted in \
            between, is not kept alive by the center, and is never called again.
            """
    ) { stage in
        let log = Mutex<Log?>(Log(stage))
        stage.record("posts")
        stage.center.post(name: .saved, object: nil)
        stage.record("drops the last reference")
        log.withLock { $0 = nil }
        stage.record("posts again")
        let receipt = stage.center.postAndReport(name: .saved, object: nil)
        try stage.expect(
            [
                "posts", "the log hears it", "drops the last reference", "deinit", "posts again",
            ].map { "tour: \($0)" })
        try stage.expect(receipt.reachedNobody, "the second post reached somebody")
        let left = stage.center.snapshot().entries.count
        try stage.expect(left == 0, "\(left) registrations are left")
    }
}
