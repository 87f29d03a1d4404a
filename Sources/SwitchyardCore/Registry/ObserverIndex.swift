// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The registrations of each observer object: for `removeObserver(_:)`, and to find dead observers.
///
/// Guard: the registry's lock.
struct ObserverIndex {
    fileprivate typealias Observations = [ObjectIdentifier: Observation]

    fileprivate struct Entry {
        let pin: Pin
        var observations: Observations = [:]
        /// The same, by what they are for: by each facet that somebody has asked for while there
        /// were many.
        var sorted: [Facet: [UInt: Observations]] = [:]

        init(pin: Pin) { self.pin = pin }
    }

    /// The part of a registration's key by which it is looked for.
    fileprivate enum Facet: CaseIterable {
        case topic, subject, both

        func hash(of bucket: Bucket) -> UInt {
            switch self {
            case .topic: bucket.topicHash
            case .subject: bucket.subject.bits
            case .both: bucket.hash
            }
        }
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
        entries[observer, default: Entry(pin: pin)].insert(observation)
    }

    mutating func remove(_ observation: Observation, under observer: UInt) {
        guard let slot = entries.index(forKey: observer) else { return }
        entries.values[slot].remove(observation)
        if entries.values[slot].observations.isEmpty { entries.remove(at: slot) }
    }

    /// The registrations of `observer` that may be for a topic and a subject, nil standing for any;
    /// in no particular order.
    ///
    /// - Complexity: O(*n*), *n* being the number of those that have the hash of topic and subject;
    ///   once more the number of all when it is asked for by topic, by subject or by both for the
    ///   first time.
    mutating func observations(
        of observer: UInt, for topic: Topic? = nil, _ subject: Subject? = nil
    ) -> [Observation] {
        guard let slot = entries.index(forKey: observer) else { return [] }
        return switch (topic, subject) {
        case (nil, nil): Array(entries.values[slot].observations.values)
        case (let topic?, nil): entries.values[slot].find(topic.hash, by: .topic)
        case (nil, let subject?): entries.values[slot].find(subject.bits, by: .subject)
        case (let topic?, let subject?):
            entries.values[slot].find(Key.hash(topic, subject), by: .both)
        }
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

extension ObserverIndex.Entry {
    fileprivate typealias Facet = ObserverIndex.Facet

    /// The number of registrations up to which it pays to look at all.
    private static var few: Int { 16 }

    mutating func insert(_ observation: Observation) {
        let id = ObjectIdentifier(observation)
        observations[id] = observation
        if sorted.isEmpty { return }
        // Not the keys of `sorted`: while they were kept, each change would copy a dictionary.
        for facet in Facet.allCases {
            sorted[facet]?[facet.hash(of: observation.bucket), default: [:]][id] = observation
        }
    }

    mutating func remove(_ observation: Observation) {
        let id = ObjectIdentifier(observation)
        observations[id] = nil
        if sorted.isEmpty { return }
        for facet in Facet.allCases {
            let hash = facet.hash(of: observation.bucket)
            sorted[facet]?[hash]?[id] = nil
            if sorted[facet]?[hash]?.isEmpty == true { sorted[facet]?[hash] = nil }
        }
    }

    /// The registrations with a hash, and others if there are few.
    mutating func find(_ hash: UInt, by facet: Facet) -> [Observation] {
        if observations.count <= Self.few { return Array(observations.values) }
        if sorted[facet] == nil { sort(by: facet) }
        return sorted[facet]?[hash].map { Array($0.values) } ?? []
    }

    private mutating func sort(by facet: Facet) {
        var all: [UInt: ObserverIndex.Observations] = [:]
        for (id, observation) in observations {
            all[facet.hash(of: observation.bucket), default: [:]][id] = observation
        }
        sorted[facet] = all
    }
}
