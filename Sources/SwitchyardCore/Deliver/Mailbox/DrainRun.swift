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

    /// Makes a delivery on this thread, unless its observation has ended, and counts it. If the entry has
    /// no parcel, the run is of its observation.
    mutating func deliver(_ entry: consuming MailEntry) {
        guard entry.isPayload else {
            entry.deliver()
            return
        }
        if entry.keepInPause() { return }
        let payload = entry.payload
        let isTraced = entry.isTraced
        let outcome = entry.observation._withUnsafeGuaranteedRef {
            isTraced ? $0.deliver(traced: payload) : $0.deliver(payload)
        }
        switch outcome {
        case .delivered, .displaced, .queued: countDelivery()
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
