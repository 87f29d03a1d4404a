// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Calls `handler` on the main actor with every message of a type. The handler may use
    /// main-actor state; otherwise as `observe(_:of:on:options:fileID:line:using:)` with another
    /// context.
    public func observe<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @MainActor @Sendable (Message) throws -> Void
    ) -> ObservationToken {
        engine.observe(
            ClosureHandler(MainIsolation.body(handler)), of: Subject(optional: subject),
            on: .main, options: options, origin: RegistrationSite(fileID, line))
    }
}
