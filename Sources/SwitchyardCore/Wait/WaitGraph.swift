// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The waits of threads, mailboxes, handlers and queues for each other, as far as Switchyard makes
/// them wait. It finds a wait that would come back to its beginning before that wait hangs.
package enum WaitGraph {
    /// Something that can be waited for, and that does nothing else while it waits itself.
    package struct Resource: Hashable, Sendable {
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
            /// An event loop, which stands still while the thread that runs it waits.
            case loop(ObjectIdentifier)
            /// One block that a post waits for.
            case block(UInt64)
            /// One call of an async handler that may be called again beside it.
            case call(UInt64)
        }

        let kind: Kind
        /// The resource's name in error messages.
        let label: String

        /// The main actor.
        package static let main = Resource(.main, "main")

        package init(_ kind: Kind, _ label: String) {
            self.kind = kind
            self.label = label
        }

        package static func == (left: Resource, right: Resource) -> Bool { left.kind == right.kind }
        package func hash(into hasher: inout Hasher) { hasher.combine(kind) }
    }

    /// One wait under way.
    package struct Wait: Sendable {
        fileprivate let number: UInt64
        fileprivate let holders: [Resource]
        /// The resources that the wait still needs: fewer, as time goes by. Called under the
        /// graph's lock: it must not come back to the graph.
        fileprivate let targets: @Sendable () -> [Resource]
    }

    /// A cycle of waits, in words: which thread would wait for which.
    package struct Cycle: Error, CustomStringConvertible {
        package let description: String
    }

    private static let waits = Guarded(Waits())

    /// Notes that `holders`, which stand still meanwhile, wait for all of `targets`. To be ended by
    /// ``end(_:)``.
    package static func begin(
        _ holders: [Resource], for targets: @autoclosure @escaping @Sendable () -> [Resource]
    ) throws(Cycle) -> Wait {
        let (wait, path) = waits.withLock { $0.begin(holders, targets) }
        if let path { throw Cycle(path) }
        return wait
    }

    /// The cycle that a wait under way has become part of since its targets changed; nil if it can
    /// end.
    package static func cycle(of wait: Wait) -> Cycle? {
        waits.withLock { $0.cycle(of: wait) }.map { Cycle($0) }
    }

    package static func end(_ wait: Wait) { waits.withLock { $0.end(wait) } }
}

extension WaitGraph.Cycle {
    /// - Parameter path: the resources, each of which waits for the next; the last is the first
    ///   again.
    fileprivate init(_ path: [WaitGraph.Resource]) {
        var labels: [String] = []
        for resource in path where labels.last != resource.label { labels.append(resource.label) }
        if labels.count == 1 { labels += labels }
        var text = labels.first ?? ""
        for (index, label) in labels.dropFirst().enumerated() {
            text += (index == 0 ? " would wait for " : ", which waits for ") + label
        }
        description = text
    }
}

extension WaitGraph.Resource.Kind {
    /// The rank of its kind in error messages: threads before handlers, because people know them
    /// better.
    fileprivate var rank: Int {
        switch self {
        case .main, .thread: 0
        case .queue, .underlying, .loop: 1
        case .mailbox: 2
        case .block: 3
        case .handler, .call: 4
        }
    }
}

/// The waits under way, and what stands still because of them.
private struct Waits: Sendable {
    typealias Resource = WaitGraph.Resource
    typealias Wait = WaitGraph.Wait

    private var waits: [UInt64: Wait] = [:]
    /// The waits in which each resource stands still, by their numbers.
    private var held: [Resource: Set<UInt64>] = [:]
    private var last: UInt64 = 0

    /// Adds a wait, or, if it would never end, says on which way it comes back to where it begins.
    mutating func begin(
        _ holders: [Resource], _ targets: @escaping @Sendable () -> [Resource]
    ) -> (Wait, path: [Resource]?) {
        last += 1
        let wait = Wait(number: last, holders: holders, targets: targets)
        waits[wait.number] = wait
        for holder in holders { held[holder, default: []].insert(wait.number) }
        guard let path = cycle(of: wait) else { return (wait, nil) }
        end(wait)
        return (wait, path)
    }

    /// The way on which a wait comes back to where it begins; nil if it can end.
    func cycle(of wait: Wait) -> [Resource]? {
        // It may have ended meanwhile.
        guard waits[wait.number] != nil else { return nil }
        let targets = targets(from: wait)
        let stuck = stuckWaits(targets)
        return stuck.contains(wait.number) ? path(of: wait, through: stuck, targets) : nil
    }

    mutating func end(_ wait: Wait) {
        guard waits.removeValue(forKey: wait.number) != nil else { return }
        for holder in wait.holders {
            held[holder]?.remove(wait.number)
            if held[holder]?.isEmpty == true { held[holder] = nil }
        }
    }

    /// The resources that a wait needs now, and those that the waits need which hold them, and so
    /// on, by the numbers of the waits. No other waits can keep this one from ending: there may be
    /// thousands.
    private func targets(from wait: Wait) -> [UInt64: [Resource]] {
        var targets: [UInt64: [Resource]] = [:]
        var open = [wait]
        while let next = open.popLast() {
            if targets[next.number] != nil { continue }
            let needed = next.targets()
            targets[next.number] = needed
            for resource in needed {
                for number in held[resource] ?? [] where targets[number] == nil {
                    if let holding = waits[number] { open.append(holding) }
                }
            }
        }
        return targets
    }

    /// The waits that can't end, whatever happens: the waits that are left when those that can end
    /// are taken away until there are no more. A wait can end when all that it waits for can go on;
    /// a resource can go on when no wait in it is left, an operation queue when fewer are than it
    /// has slots.
    ///
    /// - Parameter targets: the resources that each wait needs now, with all waits that hold them.
    private func stuckWaits(_ targets: [UInt64: [Resource]]) -> Set<UInt64> {
        var stuck = Set(targets.keys)
        while true {
            var held: [Resource: Int] = [:]
            for number in stuck {
                for holder in waits[number]?.holders ?? [] { held[holder, default: 0] += 1 }
            }
            let ending = stuck.filter { number in
                targets[number]?.allSatisfy { !standsStill($0, held[$0] ?? 0) } ?? true
            }
            if ending.isEmpty { return stuck }
            stuck.subtract(ending)
        }
    }

    private func standsStill(_ resource: Resource, _ waits: Int) -> Bool {
        if case .queue(_, let width) = resource.kind { return waits >= width }
        return waits > 0
    }

    /// A shortest way from `wait` through `stuck` back to its own holders.
    private func path(
        of wait: Wait, through stuck: Set<UInt64>, _ targets: [UInt64: [Resource]]
    ) -> [Resource] {
        let goals = Set(wait.holders)
        let own = targets[wait.number] ?? []
        var cameFrom: [Resource: Resource] = [:]
        var open = ranked(own)
        var seen = Set(open)
        var next = 0
        while next < open.count {
            let resource = open[next]
            next += 1
            if goals.contains(resource) { return path(to: resource, cameFrom) }
            let onward = stuck.filter { waits[$0]?.holders.contains(resource) == true }
            for target in ranked(onward.flatMap { targets[$0] ?? [] })
            where seen.insert(target).inserted {
                cameFrom[target] = resource
                open.append(target)
            }
        }
        return Array(wait.holders.prefix(1) + own.prefix(1))
    }

    private func ranked(_ resources: [Resource]) -> [Resource] {
        resources.sorted { $0.kind.rank < $1.kind.rank }
    }

    private func path(to goal: Resource, _ cameFrom: [Resource: Resource]) -> [Resource] {
        var path = [goal]
        while let previous = path.last.flatMap({ cameFrom[$0] }) { path.append(previous) }
        path.append(goal)
        return path.reversed()
    }
}
