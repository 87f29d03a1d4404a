// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The user's code of one observation, and what it holds. Released as a whole when the observation
/// has ended and nobody is inside it.
package class AnyHandler {
    package init() {}
}

/// A handler of notifications that carry `Payload`.
package class Handler<Payload>: AnyHandler {
    /// Calls the user's code.
    ///
    /// - Returns: Whether it was called: false when the observer object has died.
    package func deliver(_ payload: Payload) throws -> Bool {
        preconditionFailure("a Handler subclass overrides deliver(_:)")
    }
}

/// Calls a closure.
package final class ClosureHandler<Payload>: Handler<Payload> {
    private let body: (Payload) throws -> Void

    package init(_ body: @escaping (Payload) throws -> Void) {
        self.body = body
    }

    package override func deliver(_ payload: Payload) throws -> Bool {
        try body(payload)
        return true
    }
}

/// Calls a method of an object that is held weakly, and strongly only during the call.
package final class MethodHandler<Observer: AnyObject, Payload>: Handler<Payload> {
    private weak let observer: Observer?
    private let method: (Observer) -> (Payload) throws -> Void

    package init(_ observer: Observer, _ method: @escaping (Observer) -> (Payload) throws -> Void) {
        self.observer = observer
        self.method = method
    }

    package override func deliver(_ payload: Payload) throws -> Bool {
        guard let observer else { return false }
        try method(observer)(payload)
        return true
    }
}
