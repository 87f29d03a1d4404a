// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import SwitchyardCore

/// A fixed number of slots, each of which is free or taken: a counting semaphore that nobody waits
/// for.
final class ConnectionSlots: Sendable {
    private let limit: Int
    /// The number of slots that are taken. Guarded by its own lock.
    private let taken = Guarded(0)

    init(_ limit: Int) { self.limit = limit }

    /// Takes a slot.
    ///
    /// - Returns: Whether one was free.
    func enter() -> Bool {
        taken.withLock { taken in
            if taken >= limit { return false }
            taken += 1
            return true
        }
    }

    /// Frees a slot.
    func leave() { taken.withLock { $0 -= 1 } }
}
#endif
