// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Deliveries that a drain makes in a row to one observation. The run keeps the observation, so its
/// entries need not.
///
/// The run adds its count to the observation at the end, because each change of that counter makes
/// posting threads wait.
struct DrainRun {
    /// The most deliveries that are counted at once: the count lags by no more than that.
    private static let most: UInt64 = 64

    /// Retained.
    private let observation: Unmanaged<Observation>?
    private var count: UInt64 = 0

    init() { observation = nil }

    /// A run for `observation`, which somebody keeps.
    init(of observation: Unmanaged<Observation>) { self.observation = observation.retain() }

    @inline(__always)
    func isOf(_ observation: Unmanaged<Observation>) -> Bool {
        self.observation?.toOpaque() == observation.toOpaque()
    }

    /// Makes a delivery on this thread, unless its observation has ended, and counts it. If the
    /// entry has no parcel, the run is of its observation.
    mutating func deliver(_ entry: consuming MailEntry) {
        guard entry.isPayload else {
            entry.deliver()
            return
        }
        let (observation, payload) = (entry.observation, entry.payload)
        if entry.isTraced { return deliver(traced: payload, to: observation) }
        let outcome = observation._withUnsafeGuaranteedRef { $0.deliver(payload) }
        if outcome == nil { keepInPause(payload, observation) } else { count(outcome) }
    }

    /// Keeps a payload that was not delivered, if that is because its observation is paused.
    @inline(never)
    private mutating func keepInPause(
        _ payload: InlinePayload, _ observation: Unmanaged<Observation>
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            guard observation.has(Observation.State.wasPaused) else { return }
            if observation.keepInPause(payload, isTraced: false) { return }
            // The pause has ended meanwhile.
            count(observation.deliver(afterPause: payload))
        }
    }

    @inline(never)
    private mutating func deliver(
        traced payload: InlinePayload, to observation: Unmanaged<Observation>
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            // Before the trace begins: the delivery does not end here.
            if observation.isPaused, observation.keepInPause(payload, isTraced: true) { return }
            count(observation.deliver(traced: payload))
        }
    }

    @inline(__always)
    private mutating func count(_ outcome: DeliveryOutcome?) {
        switch outcome {
        case .delivered, .consumed, .displaced, .queued: countDelivery()
        default: break
        }
    }

    @inline(__always)
    private mutating func countDelivery() {
        count &+= 1
        if count == Self.most { tellCount() }
    }

    /// Adds the count to the observation, and releases it. Not under a lock.
    mutating func end() {
        if count > 0 { tellCount() }
        observation?.release()
    }

    private mutating func tellCount() {
        observation?._withUnsafeGuaranteedRef { observation in
            _ = observation.delivered.wrappingAdd(count, ordering: .relaxed)
        }
        count = 0
    }
}
