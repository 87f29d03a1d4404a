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
        /// An operation queue that runs one operation at a time.
        case serialQueue(ObjectIdentifier)
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

    private static let nextBlock = Atomic<UInt64>(0)
    /// How many waits make a resource (the key) wait for others.
    private static let edges = Guarded<[Resource: [Resource: Int]]>([:])
    /// The blocks that the calling code is inside.
    @TaskLocal private static var blocks: [Resource] = []

    /// Runs `body` as the block that others wait for.
    static func inside(_ block: Resource, _ body: () -> Void) {
        $blocks.withValue(blocks + [block], operation: body)
    }

    /// Notes that the caller waits for `block` on `queue`; nil if that would wait for the caller.
    static func begin(for queue: OperationQueue, block: Resource) -> Wait? {
        var targets = [block]
        if let exclusive = exclusive(queue) { targets.append(exclusive) }
        let wait = Wait(holders: holders, targets: targets)
        return edges.withLock { edges in
            if reaches(wait.holders, from: wait.targets, edges) { return nil }
            for holder in wait.holders {
                for target in wait.targets { edges[holder, default: [:]][target, default: 0] += 1 }
            }
            return wait
        }
    }

    static func end(_ wait: Wait) {
        edges.withLock { edges in
            for holder in wait.holders {
                for target in wait.targets {
                    let count = (edges[holder]?[target] ?? 0) - 1
                    edges[holder]?[target] = count > 0 ? count : nil
                }
                if edges[holder]?.isEmpty == true { edges[holder] = nil }
            }
        }
    }

    /// What stands still while the calling code waits.
    private static var holders: [Resource] {
        var holders = blocks
        holders.append(.thread(switchyard_thread_token()))
        if MainTarget.isCurrent { holders.append(.main) }
        if let queue = OperationQueue.current, let exclusive = exclusive(queue) {
            holders.append(exclusive)
        }
        return holders
    }

    private static func exclusive(_ queue: OperationQueue) -> Resource? {
        if queue === OperationQueue.main { return .main }
        return queue.maxConcurrentOperationCount == 1
            ? .serialQueue(ObjectIdentifier(queue)) : nil
    }

    private static func reaches(
        _ goals: [Resource], from start: [Resource], _ edges: [Resource: [Resource: Int]]
    ) -> Bool {
        var seen = Set(start)
        var open = start
        while let resource = open.popLast() {
            if goals.contains(resource) { return true }
            for (next, _) in edges[resource] ?? [:] where seen.insert(next).inserted {
                open.append(next)
            }
        }
        return false
    }
}
