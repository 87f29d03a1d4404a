// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Which thread, mailbox, handler or queue waits for which, as far as Switchyard makes them wait: so
/// that a wait that would come back to who begins it is found before it hangs.
package enum WaitGraph {
    /// Something that can be waited for, and that does nothing else while it waits itself.
    package struct Place: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case main
            case thread(UInt)
            case mailbox(ObjectIdentifier)
            /// The handler of the observation at this address.
            case handler(UInt)
            /// An operation queue that runs so many operations at once. It stands still when all of
            /// them wait.
            case queue(ObjectIdentifier, width: Int)
            /// The dispatch queue under an operation queue.
            case underlying(ObjectIdentifier)
            /// One block that a post waits for.
            case block(UInt64)
        }

        let kind: Kind
        /// What errors call it.
        let label: String

        package init(_ kind: Kind, _ label: String) {
            self.kind = kind
            self.label = label
        }

        package static func == (left: Place, right: Place) -> Bool { left.kind == right.kind }
        package func hash(into hasher: inout Hasher) { hasher.combine(kind) }
    }

    /// One wait under way.
    package struct Wait: Sendable {
        let holders: [Place]
        let targets: [Place]
    }

    /// Who would wait for whom, in words.
    package struct Cycle: Error, CustomStringConvertible {
        package let description: String
    }

    private static let graph = Guarded(Graph())

    /// Notes that `holders`, which stand still meanwhile, wait for `targets`. To be ended by
    /// ``end(_:)``.
    package static func begin(_ holders: [Place], for targets: [Place]) throws(Cycle) -> Wait {
        let wait = Wait(holders: holders, targets: targets)
        let path = graph.withLock { graph in
            let path = graph.cycle(closedBy: wait)
            if path == nil { graph.change(wait, by: 1) }
            return path
        }
        if let path { throw Cycle(path) }
        return wait
    }

    package static func end(_ wait: Wait) { graph.withLock { $0.change(wait, by: -1) } }
}

extension WaitGraph.Cycle {
    /// - Parameter path: who waits for whom; the last is the first again.
    fileprivate init(_ path: [WaitGraph.Place]) {
        var labels: [String] = []
        for place in path where labels.last != place.label { labels.append(place.label) }
        if labels.count == 1 { labels += labels }
        var text = labels.first ?? ""
        for (index, label) in labels.dropFirst().enumerated() {
            text += (index == 0 ? " would wait for " : ", which waits for ") + label
        }
        description = text
    }
}

/// The waits under way.
private struct Graph {
    typealias Place = WaitGraph.Place

    /// How many waits make a place (the key) wait for others.
    var edges: [Place: [Place: Int]] = [:]
    /// How many waits are under way inside a place.
    var waits: [Place: Int] = [:]

    /// Whether `place` does nothing else while `more` and those under way wait inside it.
    func standsStill(_ place: Place, more: Int = 0) -> Bool {
        guard case .queue(_, let width) = place.kind else { return true }
        return waits[place, default: 0] + more >= width
    }

    /// The way on which `wait` would come back to where it began; nil if it would not.
    func cycle(closedBy wait: WaitGraph.Wait) -> [Place]? {
        let goals = Set(wait.holders.filter { standsStill($0, more: 1) })
        var cameFrom: [Place: Place] = [:]
        var seen = Set(wait.targets)
        var open = wait.targets
        while let place = open.popLast() {
            if goals.contains(place) { return path(to: place, cameFrom) }
            guard standsStill(place) else { continue }
            for (next, _) in edges[place] ?? [:] where seen.insert(next).inserted {
                cameFrom[next] = place
                open.append(next)
            }
        }
        return nil
    }

    private func path(to goal: Place, _ cameFrom: [Place: Place]) -> [Place] {
        var path = [goal]
        while let previous = path.last.flatMap({ cameFrom[$0] }) { path.append(previous) }
        path.append(goal)
        return path.reversed()
    }

    mutating func change(_ wait: WaitGraph.Wait, by amount: Int) {
        for holder in wait.holders {
            waits[holder] = positive(waits[holder, default: 0] + amount)
            for target in wait.targets {
                let count = (edges[holder]?[target] ?? 0) + amount
                edges[holder, default: [:]][target] = positive(count)
            }
            if edges[holder]?.isEmpty == true { edges[holder] = nil }
        }
    }

    private func positive(_ count: Int) -> Int? { count > 0 ? count : nil }
}
