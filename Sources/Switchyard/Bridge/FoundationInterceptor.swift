// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The interceptor of named posts that go to Foundation's default center as well.
// Sendable: it has no state.
final class FoundationInterceptor: NamedInterceptor, @unchecked Sendable {
    static let shared = FoundationInterceptor()

    override func post(
        _ notification: Notification, for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        let receipt = traced(notification.name, in: engine) {
            engine.postUnintercepted(notification, for: wait)
        }
        postToFoundation(notification, from: engine)
        return receipt
    }

    override func post(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        let receipt = traced(name, in: engine) {
            engine.post(message, named: name, about: subject, for: wait)
        }
        postToFoundation(message.notification, from: engine)
        return receipt
    }

    override func post(
        retaining notification: Notification, for wait: PostWait?,
        through engine: NotificationEngine
    ) -> PostReceipt {
        let receipt = traced(notification.name, in: engine) {
            engine.postUnintercepted(retaining: notification, for: wait)
        }
        postToFoundation(notification, from: engine)
        return receipt
    }

    override func post(
        retaining message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        let receipt = traced(name, in: engine) {
            engine.postUnintercepted(retaining: message, named: name, about: subject, for: wait)
        }
        postToFoundation(message.notification, from: engine)
        return receipt
    }

    /// Calls `deliver`, which delivers a post here, and has a trace of the post not say that nobody
    /// heard it: Foundation's center does not tell whether anybody hears it there.
    private func traced(
        _ name: Notification.Name, in engine: NotificationEngine, _ deliver: () -> PostReceipt
    ) -> PostReceipt {
        guard engine.isTraced, let trace = TraceCrossing.sending(.name(name.rawValue)) else {
            return deliver()
        }
        trace.mayBeHeardElsewhere()
        trace.deliver()
        defer { trace.end() }
        return deliver()
    }

    private func postToFoundation(
        _ notification: Notification, from engine: NotificationEngine
    ) {
        let isHeard = FoundationBridge.hears(notification.name, for: engine)
        OutboundPost.whileOut(notification, from: engine, isHeard: isHeard) {
            FoundationCenter.default.post(notification)
        }
    }
}
