// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries that were due and are not made yet, the oldest first, for a cancellation that
/// makes the newest of them. A bound may still refuse the newest: the one before it stays known.
struct DueDeliveries: Sendable {
    private struct Delivery: Sendable {
        let progress: DueProgress
        let parcel: WeakReference<DueParcel>
    }

    private var all: [Delivery] = []
    /// The count at which those that are over leave. Doubled with the rest, so that a post costs
    /// the same however many wait.
    private var fullCount = 8

    /// Notes a delivery. Runs no user's code: parcels are not retained.
    mutating func add(_ parcel: DueParcel) {
        if all.count >= fullCount {
            all.removeAll(where: \.progress.isOver)
            fullCount = max(8, 2 * all.count)
        }
        all.append(Delivery(progress: parcel.progress, parcel: WeakReference(parcel)))
    }

    /// The payload of the newest that still waits, for a cancellation that makes its delivery, and
    /// has claimed it; nil if none waits.
    func takeNewest(of observation: Observation) -> AnyParcel? {
        for delivery in all.reversed() where !delivery.progress.isOver {
            let parcel = delivery.parcel.object?.takeForFlush(of: observation)
            if let parcel { return parcel }
        }
        return nil
    }
}
