// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

extension NotificationEngine {
    /// Posts under a name; the payload is built only when somebody observes it.
    @inline(__always)
    func post(
        named name: String, about subject: @autoclosure () -> Subject, for wait: PostWait? = nil,
        _ payload: () -> NamedPayload
    ) -> PostReceipt {
        post(Topic.name(name), about: subject(), for: wait, payload) {
            $0.detached(objectIsGone: $1)
        }
    }

    /// Posts a notification of which topic and subject are known.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) -> PostReceipt {
        post(
            topic, about: subject, for: nil, { NamedPayload(notification) },
            detach: { $0.detached(objectIsGone: $1) })
    }

    /// Posts a notification.
    func post(_ notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        post(
            named: notification.name.rawValue, about: Subject(optional: notification.object),
            for: wait
        ) { NamedPayload(notification) }
    }
}
