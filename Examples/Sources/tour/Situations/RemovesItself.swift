// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization

extension Notification.Name {
    fileprivate static let launched = Notification.Name("launched")
}

/// An observer's token, which the observer's block uses to remove itself.
private final class OwnToken: @unchecked Sendable {
    // Sendable: the lock guards the token.
    private let token = Mutex<UncheckedToken>(UncheckedToken(value: nil))

    // Sendable: the center takes the token from any thread.
    private struct UncheckedToken: @unchecked Sendable {
        var value: (any NSObjectProtocol)?
    }

    func keep(_ value: any NSObjectProtocol) {
        let kept = UncheckedToken(value: value)
        token.withLock { $0 = kept }
    }

    func remove(from center: NotificationCenter) {
        guard let value = token.withLock({ $0 }).value else { return }
        center.removeObserver(value)
    }
}

extension Situation {
    static let removesItself = Situation(
        name: "A block that removes itself",
        promise: """
            A block may remove its own observer: it is called once, and what is posted later does \
            not reach it.
            """
    ) { stage in
        let (center, own) = (stage.center, OwnToken())
        own.keep(
            center.addObserver(forName: .launched, object: nil, queue: nil) { _ in
                own.remove(from: center)
                stage.record("the block hears it, and removes itself")
            })
        for turn in 1...3 {
            stage.record("posts, number \(turn)")
            center.post(name: .launched, object: nil)
        }
        try stage.expect(
            [
                "posts, number 1", "the block hears it, and removes itself", "posts, number 2",
                "posts, number 3",
            ].map { "tour: \($0)" })
    }
}
