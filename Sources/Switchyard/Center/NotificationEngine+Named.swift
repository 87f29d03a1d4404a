// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

extension NotificationEngine {
    /// Posts under a name.
    ///
    /// - Parameter withPayload: called when somebody observes it, with what delivers; to be given the
    ///   payload.
    @inline(__always)
    func post(
        named name: String, about subject: @autoclosure () -> Subject, for wait: PostWait? = nil,
        _ withPayload: ((NamedPayload) -> PostReceipt) -> PostReceipt
    ) -> PostReceipt {
        post(Topic.name(name), about: subject(), for: wait, withPayload)
    }

    @inline(__always)
    private func post(
        _ topic: Topic, about subject: @autoclosure () -> Subject, for wait: PostWait? = nil,
        _ withPayload: ((NamedPayload) -> PostReceipt) -> PostReceipt
    ) -> PostReceipt {
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let posting = Posting(topic, about: subject(), for: wait)
        guard let match = matchIfAny(posting) else { return PostReceipt() }
        return withPayload { deliver($0, of: posting, to: match) }
    }

    /// Posts a notification of which topic and subject are known.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) -> PostReceipt {
        post(topic, about: subject) { deliver in deliver(NamedPayload(notification)) }
    }

    /// Posts a notification.
    func post(_ notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        post(
            named: notification.name.rawValue, about: Subject(optional: notification.object),
            for: wait
        ) { deliver in deliver(NamedPayload(notification)) }
    }
}
