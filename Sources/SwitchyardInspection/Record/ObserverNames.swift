// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The names of a process's observations, by their ids, over the time of a recording.
///
/// An observation that has ended leaves its id to a later one. So the names are learned with the
/// times at which they were so, and an event gets the name that the id had then. Where the trace has
/// the registration, that decides; otherwise the times do. Where a registration may have been
/// overwritten, an event gets a name only if the observation is known to have lived after it.
package struct ObserverNames {
    /// The names of an observation.
    package struct Observer: Equatable, Sendable {
        /// The file and line where it was registered.
        package let origin: String
        package let context: String

        package init(origin: String, context: String) {
            self.origin = origin
            self.context = context
        }
    }

    /// An observation that had an id, and the times between which that is certain, in nanoseconds
    /// since the system's start.
    private struct Holder {
        let identity: InspectedCenters.Identity
        let observer: Observer
        let first: UInt64
        var last: UInt64
    }

    /// The holders of each id, in their order.
    private var holders: [UInt64: [Holder]] = [:]

    package init() {}

    /// The names of one moment, for all events: those of before.
    package init(_ centers: InspectedCenters) { learn(centers, asked: .max, answered: .max) }

    /// Learns the names of a moment between two times.
    package mutating func learn(_ centers: InspectedCenters, asked: UInt64, answered: UInt64) {
        for center in centers.centers {
            for registration in center.registrations {
                let identity = InspectedCenters.Identity(center, registration)
                let holder = Holder(
                    identity: identity,
                    observer: Observer(
                        origin: registration.origin, context: registration.context),
                    first: answered, last: asked)
                learn(holder, of: registration.id)
            }
        }
    }

    private mutating func learn(_ holder: Holder, of id: UInt64) {
        var all = holders.removeValue(forKey: id) ?? []
        if all.last?.identity == holder.identity {
            all[all.count - 1].last = holder.last
        } else {
            all.append(holder)
        }
        holders[id] = all
    }

    /// Forgets the names that ids had before a time.
    package mutating func forget(before time: UInt64) {
        for (id, all) in holders where all.count > 1 {
            holders[id] = Array(all.dropFirst(all.dropFirst().count { $0.first <= time }))
        }
    }

    /// The observation that had an id at a time; nil if that is not known, or may be one of two.
    ///
    /// - Parameters:
    ///   - holder: the observation, as the trace knows it by its registration.
    ///   - isLost: whether registrations between two times may be missing in the trace.
    func observer(
        _ id: UInt64, at time: UInt64, _ holder: TraceRegistrations.Holder = .earlier(than: []),
        ifNot isLost: (_ first: UInt64, _ last: UInt64) -> Bool = { _, _ in false }
    ) -> Observer? {
        guard let all = holders[id] else { return nil }
        switch holder {
        case .registered(let identity):
            guard let known = all.last(where: { $0.identity.traced == identity }),
                Self.isHolder(known, at: time, isLost)
            else { return nil }
            return known.observer
        case .earlier(let later):
            let earlier =
                later.isEmpty ? all : all.filter { !later.contains($0.identity.traced) }
            return Self.observer(among: earlier, at: time, isLost)
        }
    }

    /// Whether an observation that had an id before a time still had it then: it lived later, or no
    /// other can have been registered since.
    private static func isHolder(
        _ holder: Holder, at time: UInt64, _ isLost: (UInt64, UInt64) -> Bool
    ) -> Bool {
        time <= holder.last || !isLost(holder.last, time)
    }

    private static func observer(
        among all: [Holder], at time: UInt64, _ isLost: (UInt64, UInt64) -> Bool
    ) -> Observer? {
        guard let index = all.lastIndex(where: { $0.first <= time }) else {
            guard let later = all.first else { return nil }
            // Names of one moment are for all events before it.
            return later.first == .max || !isLost(time, later.first) ? later.observer : nil
        }
        let isCertain = index == all.count - 1 || time <= all[index].last
        return isCertain && isHolder(all[index], at: time, isLost) ? all[index].observer : nil
    }
}

extension InspectedCenters {
    /// The names of each registration, by its id.
    package var observers: [UInt64: ObserverNames.Observer] {
        centers.flatMap(\.registrations).reduce(into: [:]) { names, registration in
            names[registration.id] = ObserverNames.Observer(
                origin: registration.origin, context: registration.context)
        }
    }
}
