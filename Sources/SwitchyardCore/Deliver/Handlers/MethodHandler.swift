// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Calls a method of an object that is held weakly, and strongly only during the call.
package final class MethodHandler<Observer: AnyObject, Payload>: _DeliveryHandler<Payload> {
    private let observer: ObserverReference<Observer>
    private let call: (Observer, Payload) throws -> Void

    package init(
        _ observer: Observer, calling call: @escaping (Observer, Payload) throws -> Void
    ) {
        self.observer = ObserverReference(observer)
        self.call = call
    }

    package convenience init(
        _ observer: Observer, _ method: @escaping (Observer) -> (Payload) throws -> Void
    ) {
        self.init(observer) { try method($0)($1) }
    }

    package override var inWords: String {
        role == .isolated ? "code isolated to \(Observer.self)" : "a method of \(Observer.self)"
    }

    package override var role: HandlerRole { Observer.self is any Actor.Type ? .isolated : .method }

    package override var observerIsGone: Bool { observer.isGone }

    package override func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        guard let observer = observer.object else { return .expired }
        try call(observer, payload)
        return .delivered
    }
}

/// Calls async code with an object that is held weakly, and strongly only during the call: a method
/// of its, or a closure that is isolated to it.
package final class AsyncMethodHandler<Observer: AnyObject & Sendable, Payload>: _DeliveryHandler<
    Payload
>
{
    private let body: Body

    /// The values that one async call needs. It does not hold the handler, which may be released
    /// before.
    private final class Body: Sendable {
        let observer: ObserverReference<Observer>
        let call: @Sendable (Observer, Payload) async throws -> Void

        init(
            _ observer: Observer,
            _ call: @escaping @Sendable (Observer, Payload) async throws -> Void
        ) {
            self.observer = ObserverReference(observer)
            self.call = call
        }
    }

    package init(
        _ observer: Observer, _ call: @escaping @Sendable (Observer, Payload) async throws -> Void
    ) {
        body = Body(observer, call)
    }

    package override var inWords: String {
        role == .isolated
            ? "code isolated to \(Observer.self)" : "an async method of \(Observer.self)"
    }

    package override var role: HandlerRole { Observer.self is any Actor.Type ? .isolated : .method }

    package override var observerIsGone: Bool { body.observer.isGone }

    // A task takes the payload along.
    override var takesInlinePayload: Bool { false }

    package override func work(for payload: Payload) -> AsyncWork {
        // Safe on both sides: a typed message is Sendable, a notification as unchecked as Apple's.
        nonisolated(unsafe) let payload = payload
        return { [body] in
            guard let observer = body.observer.object else { return .expired }
            try await body.call(observer, payload)
            return .delivered
        }
    }
}
