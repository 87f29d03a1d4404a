// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

extension NotificationEngine {
    /// Posts under a name; the payload is built only when somebody observes it.
    func post(
        named name: String, about subject: Subject, for wait: PostWait? = nil,
        _ payload: () -> NamedPayload
    ) -> PostReceipt {
        let topic = Topic.name(name)
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        let payload = payload()
        var receipt = PostReceipt()
        guard let rest = callPlain(payload, match, &receipt) else {
            return end(match, topic, receipt)
        }
        return deliver(
            payload, match, topic, subject, to: rest, after: receipt, for: wait
        ) {
            $0.detached(objectIsGone: $1)
        }
    }

    /// Posts a notification of which topic and subject are known.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) -> PostReceipt {
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        return deliver(NamedPayload.notification(notification), match, topic, subject) {
            $0.detached(objectIsGone: $1)
        }
    }

    /// Posts a notification.
    func post(_ notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        let subject = Subject(optional: notification.object)
        return post(named: notification.name.rawValue, about: subject, for: wait) {
            .notification(notification)
        }
    }
}
