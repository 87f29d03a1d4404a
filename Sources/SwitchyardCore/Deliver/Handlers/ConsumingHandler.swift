// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Calls a closure that decides whether the post goes on.
package final class ConsumingHandler<Payload>: _DeliveryHandler<Payload> {
    private let body: (Payload) throws -> Consumption
    private let count = Atomic<UInt64>(0)

    package init(_ body: @escaping (Payload) throws -> Consumption) { self.body = body }

    package override var inWords: String { "a closure that may consume" }

    package override var consumed: UInt64 { count.load(ordering: .relaxed) }

    package override func countConsumed() { count.wrappingAdd(1, ordering: .relaxed) }

    package override func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        switch try body(payload) {
        case .passed: .delivered
        case .consumed: .consumed
        }
    }
}
