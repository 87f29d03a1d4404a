// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Calls a closure.
@usableFromInline
package final class ClosureHandler<Payload>: _DeliveryHandler<Payload> {
    let body: (Payload) throws -> Void

    // Required, so that one can be made by a type that the caller knows.
    package required init(_ body: @escaping (Payload) throws -> Void) {
        self.body = body
    }

    package override func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        try body(payload)
        return .delivered
    }

    override var isClosure: Bool { true }

    package override var inWords: String { "a closure" }
}

/// Calls an async closure.
package final class AsyncClosureHandler<Payload>: _DeliveryHandler<Payload> {
    private let body: @Sendable (Payload) async throws -> Void

    package init(_ body: @escaping @Sendable (Payload) async throws -> Void) { self.body = body }

    package override var inWords: String { "an async closure" }

    // A task takes the payload along.
    override var takesInlinePayload: Bool { false }

    package override func work(for payload: Payload) -> AsyncWork {
        // Safe on both sides: a typed message is Sendable, a notification as unchecked as Apple's.
        nonisolated(unsafe) let payload = payload
        return { [body] in
            try await body(payload)
            return .delivered
        }
    }
}
