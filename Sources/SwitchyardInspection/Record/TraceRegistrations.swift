// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardCore

/// The registrations that a recording tells of. An observation that has ended leaves its id to a
/// later one, and an event belongs to the one that was registered last before it.
package struct TraceRegistrations {
    /// The observation to which an event with an id belongs.
    enum Holder: Equatable {
        /// The one that has this rank in the order of registration: the lower half of it.
        case registered(rank: UInt32)
        /// One that was registered before the recording tells of any, so none of these.
        case earlier(than: [UInt32])
    }

    private struct Registration {
        let ticks: UInt64
        let rank: UInt32
    }

    /// The registrations of each id, in the order of their times.
    private var all: [UInt64: [Registration]] = [:]

    /// Takes note of an event of the kind ``TraceEvent/Kind/registered``.
    mutating func add(_ event: TraceEvent) {
        let new = Registration(ticks: event.ticks, rank: event.detail)
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
            ? .earlier(than: registrations.map(\.rank))
            : .registered(rank: registrations[next - 1].rank)
    }

    /// Whether an event with an id belongs to the last observation that got it.
    package func isOfLast(_ id: UInt64, at ticks: UInt64) -> Bool {
        all[id]?.last.map { $0.ticks <= ticks } ?? true
    }

    /// Whether the last observation that got its id is this one.
    package func knows(_ registration: InspectedCenters.Registration) -> Bool {
        all[registration.id]?.last?.rank == UInt32(truncatingIfNeeded: registration.sequence)
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
