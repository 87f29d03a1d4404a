// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Foundation's resources that stand still while a post waits: the main thread, operation queues
/// and the dispatch queues under them.
enum OperationQueueResources {
    /// Marks serial dispatch queues that operation queues run on.
    private static let underlyingKey = DispatchSpecificKey<ObjectIdentifier>()
    private static let nextBlock = Atomic<UInt64>(0)

    /// The blocks that the calling code is inside, and that posts wait for.
    @TaskLocal private static var blocks: [WaitGraph.Resource] = []

    /// Makes these resources known to waits, once. Every center reads it when it is created.
    static let isKnown: Bool = {
        WaitGraph.add { held }
        return true
    }()

    /// A block on its way to `queue`.
    static func newBlock(on queue: OperationQueue) -> WaitGraph.Resource {
        let number = nextBlock.wrappingAdd(1, ordering: .relaxed).newValue
        return WaitGraph.Resource(.block(number), "a block on \(label(of: queue))")
    }

    /// Runs `body` as the block that others wait for.
    static func inside(_ block: WaitGraph.Resource, _ body: () -> Void) {
        $blocks.withValue(blocks + [block], operation: body)
    }

    /// The resources that must be free for `queue` to run a block.
    static func needed(by queue: OperationQueue) -> [WaitGraph.Resource] {
        if queue === OperationQueue.main { return [.main] }
        var resources: [WaitGraph.Resource] = []
        let width = queue.maxConcurrentOperationCount
        let label = label(of: queue)
        if width > 0 {
            resources.append(
                WaitGraph.Resource(.queue(ObjectIdentifier(queue), width: width), label))
        }
        if let underlying = queue.underlyingQueue, !underlying.runsBlocksAtOnce {
            let id = ObjectIdentifier(underlying)
            underlying.setSpecific(key: underlyingKey, value: id)
            resources.append(WaitGraph.Resource(.underlying(id), label))
        }
        return resources
    }

    /// The resources that stand still while the calling code waits.
    private static var held: [WaitGraph.Resource] {
        var resources = blocks
        if MainQueue.isCurrent { resources.append(.main) }
        if let queue = OperationQueue.current { resources += needed(by: queue) }
        if let id = DispatchQueue.getSpecific(key: underlyingKey) {
            resources.append(WaitGraph.Resource(.underlying(id), "dispatch queue"))
        }
        return resources
    }

    static func label(of queue: OperationQueue) -> String {
        "operation queue \(queue.name ?? "unnamed")"
    }
}
