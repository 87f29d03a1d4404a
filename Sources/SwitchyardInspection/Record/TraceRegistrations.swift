// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The registrations that a recording tells of. An observation that has ended leaves its id to a
/// later one, and an event belongs to the one that was registered last before it.
package struct TraceRegistrations {
    /// A registration as its event has it.
    package struct Identity: Equatable {
        /// The number of the center.
        let center: UInt64
        /// The lower half of the rank in the center's order of registration.
        let rank: UInt32
    }

    /// The observation to which an event with an id belongs.
    enum Holder: Equatable {
        case registered(Identity)
        /// One that was registered before the recording tells of any, so none of these.
        case earlier(than: [Identity])
    }

    private struct Registration {
        let ticks: UInt64
        let identity: Identity
    }

    /// The registrations of each id, in the order of their times.
    private var all: [UInt64: [Registration]] = [:]

    /// Takes note of an event of the kind ``TraceEvent/Kind/registered``.
    mutating func add(_ event: TraceEvent) {
        let new = Registration(
            ticks: event.ticks, identity: Identity(center: event.post, rank: event.detail))
        var known = all.removeValue(forKey: event.subject) ?? []
        // The threads' events come thread by thread.
        known.insert(new, at: known.lastIndex { $0.ticks <= new.ticks }.map { $0 + 1 } ?? 0)
        all[event.subject] = known
    }

    /// Forgets what is not needed for events from a time on: all registrations of an id before that
    /// time but the last.
    mutating func forget(before isOld: (_ ticks: UInt64) -> Bool) {
        for (id, registrations) in all where registrations.count > 1 {
            let old = registrations.prefix { isOld($0.ticks) }.count
            if old > 1 { all[id] = Array(registrations.dropFirst(old - 1)) }
        }
    }

    /// The observation to which an event with an id belongs.
    func holder(of id: UInt64, at ticks: UInt64) -> Holder {
        guard let registrations = all[id] else { return .earlier(than: []) }
        let next = Self.firstIndex(in: registrations, after: ticks)
        return next == 0
            ? .earlier(than: registrations.map(\.identity))
            : .registered(registrations[next - 1].identity)
    }

    /// Whether an event with an id belongs to the last observation that got it.
    package func isOfLast(_ id: UInt64, at ticks: UInt64) -> Bool {
        all[id]?.last.map { $0.ticks <= ticks } ?? true
    }

    /// Whether the last observation that got an id is this one; nil if the recording tells of none
    /// with the id.
    package func isLast(_ id: UInt64, _ identity: InspectedCenters.Identity) -> Bool? {
        all[id]?.last.map { $0.identity == identity.traced }
    }

    /// The ids that more than one observation got, among the registrations that are new enough.
    package func reused(_ isNew: (_ ticks: UInt64) -> Bool) -> Set<UInt64> {
        Set(all.filter { $1.count > 1 && $1.count { isNew($0.ticks) } > 1 }.keys)
    }

    private static func firstIndex(
        in registrations: [Registration], after ticks: UInt64
    ) -> Int {
        var range = registrations.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if registrations[middle].ticks <= ticks {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}

extension InspectedCenters.Identity {
    /// The registration as its trace knows it.
    var traced: TraceRegistrations.Identity {
        TraceRegistrations.Identity(center: center, rank: UInt32(truncatingIfNeeded: sequence))
    }
}
