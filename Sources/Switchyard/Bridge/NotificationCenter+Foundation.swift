// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension NotificationCenter {
    /// Whether named posts on this center are posted on Foundation's default center too, for
    /// observers in libraries that do not know this one. Off at first. Neither way loops.
    public var postsToFoundation: Bool {
        get { postsToFoundationFlag.load(ordering: .relaxed) }
        set { postsToFoundationFlag.store(newValue, ordering: .relaxed) }
    }

    func postToFoundation(_ notification: Notification) {
        OutboundPost.$current.withValue(OutboundPost(notification)) {
            Foundation.NotificationCenter.default.post(notification)
        }
    }
}

/// A notification on its way from our center to Foundation's, where the bridge hears it again and
/// has to let it pass.
struct OutboundPost: Sendable {
    @TaskLocal static var current: OutboundPost?

    private let name: String
    private let object: UInt?

    init(_ notification: Notification) {
        name = notification.name.rawValue
        object = notification.object.map(Self.identity)
    }

    /// Whether `notification` is this one, come back.
    func isSame(as notification: Notification) -> Bool {
        name == notification.name.rawValue && object == notification.object.map(Self.identity)
    }

    private static func identity(_ object: Any) -> UInt { Subject(object).identity }
}
