// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Calls a block on an operation queue and waits for it: what `queue:` means in Apple's
/// `addObserver(forName:object:queue:using:)`.
///
/// The handler waits for its own block only, whatever else the queue has to do, and for no longer
/// than the queue can be expected to run it.
final class QueueHandler: AnyNamedHandler {
    private let block: @Sendable (Notification) -> Void
    private let queue: OperationQueue
    private let engine: NotificationEngine
    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    /// The time between two looks of a waiting post whether the queue was suspended, the block
    /// cancelled, or the observer removed.
    private static let patience = DispatchTimeInterval.milliseconds(20)

    init(
        _ block: @escaping @Sendable (Notification) -> Void, on queue: OperationQueue,
        _ engine: NotificationEngine
    ) {
        self.block = block
        self.queue = queue
        self.engine = engine
    }

    override func belongs(to observation: Observation) { self.observation = observation }

    override var inWords: String { "a block for an operation queue" }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        let notification = payload.notification
        if isOnQueue {
            block(notification)
            return .delivered
        }
        // The block gets no dying object, which could outlive this post on another thread.
        return wait(for: operation(notification.storable))
    }

    /// A post that waits for all its deliveries waits for the block as for one of them.
    override func deliver(_ payload: NamedPayload, for wait: PostWait) throws -> DeliveryOutcome {
        let notification = payload.notification
        if isOnQueue {
            block(notification)
            return .delivered
        }
        let resources = OperationQueueResources.needed(by: queue)
        let ticket =
            observation.map { PostWait.Ticket(wait, resources, endingWith: $0) }
            ?? PostWait.Ticket(wait, resources)
        let block = operation(notification.storable, ticket)
        queue.addOperation(
            AwaitedBlock(block, ticket, label: OperationQueueResources.label(of: queue)))
        return .queued
    }

    /// Under `dispatchMain()` no operation queue is current on main.
    private var isOnQueue: Bool {
        OperationQueue.current === queue || queue === OperationQueue.main && MainQueue.isCurrent
    }

    /// The block on its way to the queue. It holds the registration, not the handler and what that
    /// captured, and claims it anew: it may have been removed while the operation waited.
    private func operation(
        _ notification: Notification, _ ticket: PostWait.Ticket? = nil
    ) -> QueuedBlock {
        // The notification is as unchecked as Apple's: it belongs to the poster and the block.
        nonisolated(unsafe) let notification = notification
        // The handler is not retained. It is touched only under a claim, which keeps it alive.
        nonisolated(unsafe) let handler = Unmanaged.passUnretained(self)
        let observation = observation
        return QueuedBlock(on: queue) {
            guard let observation, observation.beginOpenClaim() else { return }
            ticket?.begins()
            handler._withUnsafeGuaranteedRef { $0.block(notification) }
            ticket?.ended(with: .delivered)
            observation.endOpenClaim()
        }
    }

    private func wait(for queued: QueuedBlock) -> DeliveryOutcome {
        if queue.isSuspended || queue.maxConcurrentOperationCount == 0 {
            queue.addOperation(queued.operation)
            return give(
                up: "is suspended: the block runs when it is resumed, unless it is cancelled")
        }
        // The order matters: asking for the queue's resources marks the dispatch queue that this
        // code may run on.
        let targets = [queued.resource] + OperationQueueResources.needed(by: queue)
        let wait: WaitGraph.Wait
        do {
            wait = try WaitGraph.begin(WaitGraph.heldByThisThread, for: targets)
        } catch {
            queue.addOperation(queued.operation)
            return give(
                up: "waits, through others, for this post (\(error)): the block runs after it")
        }
        defer { WaitGraph.end(wait) }
        queue.addOperation(queued.operation)
        while queued.done.wait(timeout: .now() + Self.patience) == .timedOut {
            let operation = queued.operation
            if operation.isFinished {
                // Foundation finishes a cancelled operation without running its block.
                return queued.hasRun ? .delivered : .undeliverable
            }
            // The block may have run to its end since the operation was asked.
            if operation.isCancelled, !operation.isExecuting {
                return queued.hasRun ? .delivered : .undeliverable
            }
            if isRemoved, !operation.isExecuting {
                // The block does not run any more, unless it has run meanwhile, which ends a
                // one-shot.
                return queued.hasRun ? .delivered : .undeliverable
            }
            if queue.isSuspended || queue.maxConcurrentOperationCount == 0,
                !operation.isExecuting
            {
                if queued.hasRun { return .delivered }
                return give(
                    up: "was suspended: the block runs when it is resumed, unless it is cancelled")
            }
        }
        return .delivered
    }

    private var isRemoved: Bool { observation?.isCancelled == true }

    private func give(up reason: String) -> DeliveryOutcome {
        engine.report(
            DeliveryProblem(
                .wouldNotReturn,
                "a post did not wait for its block on the operation queue "
                    + "\"\(queue.name ?? "unnamed")\", which \(reason)"))
        return .queued
    }
}

/// A block on its way to a queue, with what tells that it is done.
private struct QueuedBlock {
    let operation: BlockOperation
    let done = DispatchSemaphore(value: 0)
    let resource: WaitGraph.Resource

    init(on queue: OperationQueue, _ body: @escaping @Sendable () -> Void) {
        let resource = OperationQueueResources.newBlock(on: queue)
        self.resource = resource
        operation = BlockOperation { [done] in
            OperationQueueResources.inside(resource, body)
            done.signal()
        }
    }

    /// Whether the block has run to its end. Takes the signal: true once.
    var hasRun: Bool { done.wait(timeout: .now()) == .success }
}

/// A block on its way to a queue, for a post that waits with a ticket. Cancelled before it has
/// begun, it does not run, and the post waits for it no longer, however long the queue keeps it.
private final class AwaitedBlock: Operation, @unchecked Sendable {
    // Sendable: constant, but for the atomic.
    private let block: BlockOperation
    private let ticket: PostWait.Ticket
    private let label: String
    /// Whether the block has begun, or was cancelled before.
    private let isSettled = Atomic<Bool>(false)

    init(_ block: QueuedBlock, _ ticket: PostWait.Ticket, label: String) {
        self.block = block.operation
        self.ticket = ticket
        self.label = label
    }

    override func main() {
        if isSettled.exchange(true, ordering: .relaxed) { return }
        block.main()
        // Somebody may keep the operation.
        ticket.end()
    }

    override func cancel() {
        super.cancel()
        if isSettled.exchange(true, ordering: .relaxed) { return }
        ticket.mailboxEnded("a cancelled block on \(label)")
        ticket.end()
    }
}
