// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// Shows typed messages to a closure. The observation does not count as one; see
/// `DeliveryOutcome.uncounted`.
final class MessageWatcher<Message>: _DeliveryHandler<Message> {
    private let body: (Message) -> Void

    init(_ body: @escaping (Message) -> Void) { self.body = body }

    override var inWords: String { "a recorder or an expectation" }

    override var role: HandlerRole { .other }

    override var seesConsumed: Bool { true }

    override func deliver(_ payload: Message) -> DeliveryOutcome {
        body(payload)
        return .uncounted
    }
}

extension MessageObserving {
    /// Shows every message of a type to `watcher`, without counting as an observer.
    func watch<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject?, on context: DeliveryContext,
        origin: RegistrationSite, using watcher: @escaping @Sendable (Message) -> Void
    ) -> ObservationToken {
        engine.observe(
            MessageWatcher(watcher), of: Subject(optional: subject),
            on: engine.mailbox(of: context),
            options: .standard, origin: origin)
    }
}

// MARK: - Words

extension Notification {
    /// The name and object in words. Calls no method of the object.
    var inWords: String {
        let name = "\"\(name.rawValue)\""
        guard let object else { return name }
        return "\(name) about \(Subject(object).description) (\(type(of: object)))"
    }
}
