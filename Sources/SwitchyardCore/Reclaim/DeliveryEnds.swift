// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The callers that wait for the deliveries of cancelled observations to end.
///
/// A delivery tells nobody when it ends: that would cost every delivery. But the end of a delivery
/// of a cancelled observation checks whether it is the last one, to release the handler. That check
/// also tells the waiting callers to look again.
enum DeliveryEnds {
    private struct Watchers: Sendable {
        var looks: [Callback<Void>] = []
        /// Whether one of them waits from inside the handler, for its other calls.
        var hasInsider = false
    }

    /// The waiting threads, by the observations' addresses.
    private static let watchers = Guarded<[UInt: Watchers]>([:])

    /// Has the threads that wait for the deliveries of the observation at `address`, if any, look
    /// again.
    static func signal(_ address: UInt) {
        // An array of its own: ThreadSanitizer does not see that the runtime copies a shared one
        // before it changes.
        let looks = watchers.withLock { $0[address]?.looks.map { $0 } ?? [] }
        for look in looks { look.call(()) }
    }

    /// Calls `look` whenever a delivery of the observation at `address` ends, until
    /// ``forget(_:_:fromInside:)``. The observation has to know that it is awaited.
    ///
    /// - Returns: False if another call of the handler waits for the others already: two such would
    ///   wait for each other.
    static func watch(_ address: UInt, _ look: Callback<Void>, fromInside: Bool) -> Bool {
        watchers.withLock { watchers in
            if fromInside, watchers[address]?.hasInsider == true { return false }
            watchers[address, default: Watchers()].looks.append(look)
            if fromInside { watchers[address]?.hasInsider = true }
            return true
        }
    }

    static func forget(_ address: UInt, _ look: Callback<Void>, fromInside: Bool) {
        watchers.withLock { watchers in
            watchers[address]?.looks.removeAll { $0 === look }
            if fromInside { watchers[address]?.hasInsider = false }
            if watchers[address]?.looks.isEmpty == true {
                watchers[address] = nil
            }
        }
    }
}
