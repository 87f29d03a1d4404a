// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The registrations of each observer object: for `removeObserver(_:)`, and to find dead observers.
///
/// Guard: the registry's lock.
struct ObserverIndex {
    private struct Entry {
        let pin: Pin
        var observations: [ObjectIdentifier: Observation] = [:]
    }

    private var entries: [UInt: Entry] = [:]
    /// The number of further registrations and removals after which the next look for dead ones is
    /// due: as many as the last one left, so that looking costs each of them O(1) in the mean.
    private var untilLook = 16
    /// The number of registrations and removals between the last look and the one that is due.
    private(set) var changesBetweenLooks = 16

    /// The observer must be alive.
    mutating func insert(_ observation: Observation, under observer: UInt) {
        let pin = Pin(Subject(instanceAt: observer))
        let id = ObjectIdentifier(observation)
        entries[observer, default: Entry(pin: pin)].observations[id] = observation
    }

    mutating func remove(_ observation: Observation, under observer: UInt) {
        guard let slot = entries.index(forKey: observer) else { return }
        entries.values[slot].observations[ObjectIdentifier(observation)] = nil
        if entries.values[slot].observations.isEmpty { entries.remove(at: slot) }
    }

    /// The registrations of `observer`, in no particular order.
    func observations(of observer: UInt) -> [Observation] {
        guard let entry = entries[observer] else { return [] }
        return Array(entry.observations.values)
    }

    /// Counts a registration or a removal.
    ///
    /// - Returns: Whether it is time to look for observers that have died.
    mutating func isLookDue() -> Bool {
        untilLook -= 1
        return untilLook <= 0
    }

    /// The registrations of observers that have died.
    mutating func takeDead() -> [Observation] {
        var dead: [Observation] = []
        var alive = 0
        for entry in entries.values {
            if entry.pin.isGone {
                dead.append(contentsOf: entry.observations.values)
            } else {
                alive += 1
            }
        }
        untilLook = 16 + alive
        changesBetweenLooks = untilLook
        return dead
    }
}
