// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Counts the deliveries of a drain, and tells each observation at the end of a run of its own: the
/// count stands beside what posting threads read, who would wait for each change of it.
struct DeliveryTally {
    /// So many are told at once at most, for who looks at the counts meanwhile.
    private static let most: UInt64 = 64

    private var observation: Observation?
    private var count: UInt64 = 0

    @inline(__always)
    mutating func countDelivery(to observation: Unmanaged<Observation>) {
        if let current = self.observation, count < Self.most,
            Unmanaged.passUnretained(current).toOpaque() == observation.toOpaque()
        {
            count &+= 1
        } else {
            end()
            self.observation = observation.takeUnretainedValue()
            count = 1
        }
    }

    /// Tells the last of them.
    mutating func end() {
        observation?.delivered.wrappingAdd(count, ordering: .relaxed)
        observation = nil
    }
}
