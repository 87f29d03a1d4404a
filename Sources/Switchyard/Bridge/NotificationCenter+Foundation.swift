// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension NotificationCenter {
    /// Whether named posts on this center are posted on Foundation's default center too, for
    /// observers in libraries that do not know this one. Off at first. Neither way loops.
    public var postsToFoundation: Bool {
        get { engine.isForwarding }
        set { engine.isForwarding = newValue }
    }

    func postToFoundation(_ notification: Notification) { engine.postToFoundation(notification) }
}

extension NotificationEngine {
    /// Posts on Foundation's center what was posted here.
    func postToFoundation(_ notification: Notification) {
        OutboundPost.$current.withValue(OutboundPost(notification, from: self)) {
            Foundation.NotificationCenter.default.post(notification)
        }
    }
}

/// A notification on its way from our center to Foundation's, where the bridge hears it again and
/// has to let it pass: once, and only where it came from.
final class OutboundPost: Sendable {
    @TaskLocal static var current: OutboundPost?

    private let name: String
    private let object: UInt?
    private let origin: ObjectIdentifier
    private let isBack = Atomic<Bool>(false)

    init(_ notification: Notification, from origin: NotificationEngine) {
        name = notification.name.rawValue
        object = notification.object.map { Subject($0).identity }
        self.origin = ObjectIdentifier(origin)
    }

    /// Whether `notification` is this one, come back to where it was posted.
    func isBack(as notification: Notification, at engine: NotificationEngine) -> Bool {
        guard origin == ObjectIdentifier(engine), name == notification.name.rawValue,
            object == notification.object.map({ Subject($0).identity })
        else { return false }
        return !isBack.exchange(true, ordering: .relaxed)
    }
}
