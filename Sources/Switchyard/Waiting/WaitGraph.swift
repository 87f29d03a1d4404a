// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import Synchronization

/// Which thread or queue waits for which, as far as posts make them wait: so that a post that would
/// wait for itself through others is found before it hangs.
enum WaitGraph {
    /// Something that can be waited for, and that does nothing else while it waits itself.
    enum Resource: Hashable, Sendable {
        case main
        case thread(UInt)
        /// An operation queue that runs so many operations at once. It stands still when all of them
        /// wait.
        case queue(ObjectIdentifier, width: Int)
        /// The dispatch queue under an operation queue.
        case underlying(ObjectIdentifier)
        /// One block that a post waits for.
        case block(UInt64)

        static func newBlock() -> Resource {
            .block(nextBlock.wrappingAdd(1, ordering: .relaxed).newValue)
        }
    }

    /// One wait under way.
    struct Wait {
        let holders: [Resource]
        let targets: [Resource]
    }

    private struct Graph {
        /// How many waits make a resource (the key) wait for others.
        var edges: [Resource: [Resource: Int]] = [:]
        /// How many waits are under way inside a resource.
        var waits: [Resource: Int] = [:]

        /// Whether `resource` does nothing else while `more` and those under way wait inside it.
        func standsStill(_ resource: Resource, more: Int = 0) -> Bool {
            guard case .queue(_, let width) = resource else { return true }
            return waits[resource, default: 0] + more >= width
        }

        /// Whether waiting for `targets` would come back to one of `holders`.
        func closesCycle(_ wait: Wait) -> Bool {
            let goals = Set(wait.holders.filter { standsStill($0, more: 1) })
            var seen = Set(wait.targets)
            var open = wait.targets
            while let resource = open.popLast() {
                if goals.contains(resource) { return true }
                guard standsStill(resource) else { continue }
                for (next, _) in edges[resource] ?? [:] where seen.insert(next).inserted {
                    open.append(next)
                }
            }
            return false
        }

        mutating func change(_ wait: Wait, by amount: Int) {
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

    private static let nextBlock = Atomic<UInt64>(0)
    private static let graph = Guarded(Graph())
    /// The blocks that the calling code is inside.
    @TaskLocal private static var blocks: [Resource] = []
    /// Marks dispatch queues that operation queues run on.
    private static let underlyingKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Runs `body` as the block that others wait for.
    static func inside(_ block: Resource, _ body: () -> Void) {
        $blocks.withValue(blocks + [block], operation: body)
    }

    /// Notes that the caller waits for `block` on `queue`; nil if that would wait for the caller.
    static func begin(for queue: OperationQueue, block: Resource) -> Wait? {
        // In this order: asking for its places marks the dispatch queue that we may be on.
        let targets = [block] + places(of: queue)
        let wait = Wait(holders: holders, targets: targets)
        return graph.withLock { graph in
            if graph.closesCycle(wait) { return nil }
            graph.change(wait, by: 1)
            return wait
        }
    }

    static func end(_ wait: Wait) { graph.withLock { $0.change(wait, by: -1) } }

    /// What stands still while the calling code waits.
    private static var holders: [Resource] {
        var holders = blocks
        holders.append(.thread(switchyard_thread_token()))
        if MainTarget.isCurrent { holders.append(.main) }
        if let queue = OperationQueue.current { holders += places(of: queue) }
        if let id = DispatchQueue.getSpecific(key: underlyingKey) {
            holders.append(.underlying(id))
        }
        return holders
    }

    /// What has to be free for `queue` to run a block.
    private static func places(of queue: OperationQueue) -> [Resource] {
        if queue === OperationQueue.main { return [.main] }
        var places: [Resource] = []
        let width = queue.maxConcurrentOperationCount
        if width > 0 { places.append(.queue(ObjectIdentifier(queue), width: width)) }
        if let underlying = queue.underlyingQueue {
            let id = ObjectIdentifier(underlying)
            underlying.setSpecific(key: underlyingKey, value: id)
            places.append(.underlying(id))
        }
        return places
    }
}
