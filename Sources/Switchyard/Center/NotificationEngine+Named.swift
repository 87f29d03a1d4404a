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
        let topic = Topic.name(name)
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let subject = subject()
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        return deliver(named: payload(), match, topic, subject, for: wait)
    }

    /// Posts a notification of which topic and subject are known.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) -> PostReceipt {
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let match = match(topic, subject)
        if match.isEmpty { return end(match, topic) }
        return deliver(named: NamedPayload(notification), match, topic, subject, for: nil)
    }

    /// Posts a notification.
    func post(_ notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        post(
            named: notification.name.rawValue, about: Subject(optional: notification.object),
            for: wait
        ) { NamedPayload(notification) }
    }

    @inline(__always)
    private func deliver(
        named payload: NamedPayload, _ match: Match, _ topic: Topic, _ subject: Subject,
        for wait: PostWait?
    ) -> PostReceipt {
        var receipt = PostReceipt()
        guard let rest = callPlain(payload, match, &receipt, for: wait) else {
            return end(match, topic, receipt)
        }
        return deliver(payload, match, topic, subject, to: rest, after: receipt, for: wait) {
            $0.detached(objectIsGone: $1)
        }
    }
}
