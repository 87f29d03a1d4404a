// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import SwitchyardCore

/// A number of places, of which each is free or taken.
final class Places: Sendable {
    private let limit: Int
    /// The number of places that are taken. Guarded by its own lock.
    private let taken = Guarded(0)

    init(_ limit: Int) { self.limit = limit }

    /// Takes a place.
    ///
    /// - Returns: Whether one was free.
    func enter() -> Bool {
        taken.withLock { taken in
            if taken >= limit { return false }
            taken += 1
            return true
        }
    }

    /// Frees a place.
    func leave() { taken.withLock { $0 -= 1 } }
}
#endif
