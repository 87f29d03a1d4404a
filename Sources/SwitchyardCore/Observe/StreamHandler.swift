// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Keeps payloads for a sequence, and counts those that the sequence's limit drops.
package final class StreamHandler<Payload>: _DeliveryHandler<Payload> {
    private let buffer: StreamBuffer<Payload>
    /// Whether the sequence ends with the first payload.
    private let isOnce: Bool
    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    package init(_ buffer: StreamBuffer<Payload>, isOnce: Bool) {
        self.buffer = buffer
        self.isOnce = isOnce
    }

    // The observation may end before the center, because its subject has died.
    deinit { buffer.finish() }

    package override func belongs(to observation: Observation) { self.observation = observation }

    package override var inWords: String { "a stream" }

    package override var role: HandlerRole { .other }

    package override var isSequence: Bool { true }

    package override var waiting: Int { buffer.count }

    package override var keepsAll: Bool { buffer.isUnbounded }

    package override func centerEnded() { buffer.finish() }

    package override func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        defer { if isOnce { buffer.finish() } }
        switch buffer.append(payload) {
        case .nothing: return .delivered
        case .older:
            observation?.lost.wrappingAdd(1, ordering: .relaxed)
            return .displaced
        case .itself:
            observation?.lost.wrappingAdd(1, ordering: .relaxed)
            return .dropped
        }
    }
}
