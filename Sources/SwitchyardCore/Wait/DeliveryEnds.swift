// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// The callers that wait for the deliveries of cancelled observations to end.
///
/// A delivery tells nobody when it ends: that would cost every delivery. But the end of a delivery of
/// a cancelled observation checks whether it is the last one, to release the handler. That check also
/// tells the waiting callers to look again.
enum DeliveryEnds {
    private struct Watchers: Sendable {
        var looks: [Callback<Void>] = []
        /// Whether one of them waits from inside the handler, for its other calls.
        var hasInsider = false
    }

    /// By the observations' addresses.
    private static let watchers = Guarded<[UInt: Watchers]>([:])

    /// Has those who wait for the deliveries of the observation at `address`, if any, look again.
    static func signal(_ address: UInt) {
        for look in watchers.withLock({ $0[address]?.looks ?? [] }) { look.call(()) }
    }

    /// Calls `look` whenever a delivery of `observation` ends, until ``forget(_:_:fromInside:)``.
    ///
    /// - Returns: False if another call of the handler waits for the others already: two such would
    ///   wait for each other.
    static func watch(
        _ observation: Observation, _ look: Callback<Void>, fromInside: Bool
    ) -> Bool {
        let isFirst = watchers.withLock { watchers in
            if fromInside, watchers[observation.address]?.hasInsider == true { return false }
            watchers[observation.address, default: Watchers()].looks.append(look)
            if fromInside { watchers[observation.address]?.hasInsider = true }
            return true
        }
        guard isFirst else { return false }
        observation.state.bitwiseOr(Observation.State.awaited, ordering: .sequentiallyConsistent)
        // Another thread may have cancelled first and not have come to its fence yet.
        switchyard_heavy_fence()
        return true
    }

    static func forget(_ observation: Observation, _ look: Callback<Void>, fromInside: Bool) {
        watchers.withLock { watchers in
            watchers[observation.address]?.looks.removeAll { $0 === look }
            if fromInside { watchers[observation.address]?.hasInsider = false }
            if watchers[observation.address]?.looks.isEmpty == true {
                watchers[observation.address] = nil
            }
        }
    }
}
