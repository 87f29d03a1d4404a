// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Calls a closure that decides whether the post goes on.
package final class ConsumingHandler<Payload>: _DeliveryHandler<Payload> {
    private let body: (Payload) throws -> Consumption

    package init(_ body: @escaping (Payload) throws -> Consumption) { self.body = body }

    package override var inWords: String { "a closure that may consume" }

    package override func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        switch try body(payload) {
        case .passed: .delivered
        case .consumed: .consumed
        }
    }
}
