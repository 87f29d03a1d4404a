// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// Watches whether the registrations of one origin become more and more, over several looks at a
/// process.
struct GrowthWatch {
    /// The line that registered, and what for.
    private struct Origin: Hashable {
        let center: UInt64
        let handler: String
        let topic: String
    }

    /// The registrations of an origin at one moment, by their ranks in the center's order.
    private typealias Registrations = [Origin: Set<UInt64>]

    /// The looks that are compared: an origin has grown if each has more registrations than the one
    /// before.
    private static let looks = 3

    /// The last looks, the oldest first.
    private var last: [Registrations] = []
    private let pause: Duration
    private var time: ContinuousClock.Instant?

    /// - Parameter pause: the shortest time between two looks that are compared.
    init(every pause: Duration) { self.pause = pause }

    /// Remembers the registrations of a moment, unless the last look was only just.
    mutating func look(at centers: InspectedCenters, _ now: ContinuousClock.Instant = .now) {
        if let time, now - time < pause { return }
        time = now
        var registrations: Registrations = [:]
        for center in centers.centers {
            for registration in center.registrations {
                let origin = Origin(
                    center: center.number, handler: registration.origin, topic: registration.topic)
                registrations[origin, default: []].insert(registration.sequence)
            }
        }
        last.append(registrations)
        if last.count > Self.looks { last.removeFirst() }
    }

    /// A sentence for each origin whose registrations became more from look to look, while none
    /// ended.
    var sentences: [String] {
        guard last.count == Self.looks, let now = last.last else { return [] }
        return now.keys.filter(hasGrown).map(sentence).sorted()
    }

    private func hasGrown(_ origin: Origin) -> Bool {
        let sets = last.map { $0[origin] ?? [] }
        // An origin without registrations in the first look may belong to the program's start.
        return !sets[0].isEmpty
            && zip(sets, sets.dropFirst()).allSatisfy { $0.isStrictSubset(of: $1) }
    }

    private func sentence(_ origin: Origin) -> String {
        let counts = last.map { "\($0[origin]?.count ?? 0)" }.joined(separator: ", then ")
        return "the registrations at \(origin.handler) for \(origin.topic) grow: there were "
            + "\(counts), and none has ended. Each lives until its token or owner does, or until it is removed"
    }
}
