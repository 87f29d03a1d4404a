// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Dispatch
public import Foundation
public import SwitchyardCore

/// A dispatch queue as the target of a mailbox. Drains do not overlap, also on a concurrent queue.
final class DispatchQueueTarget: ContextTarget {
    private let queue: DispatchQueue

    private init(_ queue: DispatchQueue) { self.queue = queue }

    var label: String { "dispatch queue \(queue.label)" }

    func wake(_ mailbox: SharedMailbox) { queue.async { mailbox.drainAll() } }

    /// A dispatch queue's weak reference to its mailbox, kept by the queue itself: on Linux
    /// `DispatchQueue.main` and `DispatchQueue.global()` are another object at each use.
    private final class Known: Sendable {
        let mailbox: Guarded<Weak>
        init(_ mailbox: SharedMailbox) { self.mailbox = Guarded(Weak(mailbox: mailbox)) }
    }

    private struct Weak: Sendable {
        weak var mailbox: SharedMailbox?
    }

    private static let key = DispatchSpecificKey<Known>()
    /// Held while a queue is asked and told of its mailbox.
    private static let asking = Guarded(())

    /// The mailbox of `queue`, which is one however often the queue's object is made anew.
    static func mailbox(of queue: DispatchQueue) -> SharedMailbox {
        if queue.getSpecific(key: MainQueue.key) == true { return .main }
        return asking.withLock { _ in
            let known = queue.getSpecific(key: key)
            if let mailbox = known?.mailbox.withLock(\.mailbox) { return mailbox }
            let made = SharedMailbox(DispatchQueueTarget(queue))
            if let known {
                known.mailbox.withLock { $0.mailbox = made }
            } else {
                queue.setSpecific(key: key, value: Known(made))
            }
            return made
        }
    }
}

/// An operation queue as the target of a mailbox. Drains do not overlap, whatever the queue's
/// width.
final class OperationQueueTarget: WaitableTarget {
    static let directory = MailboxDirectory()

    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    var label: String { "operation queue \(queue.name ?? "unnamed")" }
    var waitResources: [WaitGraph.Resource] { OperationQueueResources.needed(by: queue) }
    /// True: the queue runs one operation at a time, and the caller is that operation.
    var isHeldByCaller: Bool {
        queue.maxConcurrentOperationCount == 1 && OperationQueue.current === queue
    }

    func wake(_ mailbox: SharedMailbox) { queue.addOperation(DrainOperation(mailbox)) }

    /// An operation that `cancelAllOperations()` does not stop: the deliveries are not the queue's
    /// to drop.
    private final class DrainOperation: Operation, @unchecked Sendable {
        // Sendable: constant.
        private let mailbox: SharedMailbox
        init(_ mailbox: SharedMailbox) { self.mailbox = mailbox }
        override func main() { mailbox.drainAll() }
        override func cancel() {}
    }
}

extension DeliveryContext {
    /// On `queue`, in the order of posting, one delivery after the other: also a concurrent queue
    /// runs one at a time. The registration keeps the queue alive.
    ///
    /// A queue is one context, also `.global()`, which is another object at each use; the main
    /// queue is `.main`. Two queues with one target queue are two contexts.
    public static func dispatchQueue(_ queue: DispatchQueue) -> DeliveryContext {
        .mailbox(DispatchQueueTarget.mailbox(of: queue))
    }

    /// On `queue`, in the order of posting, one delivery after the other, whatever the queue's
    /// `maxConcurrentOperationCount`. The main queue is `.main`. A suspended queue delivers when it
    /// is resumed. The registration keeps the queue alive.
    public static func operationQueue(_ queue: OperationQueue) -> DeliveryContext {
        if queue === OperationQueue.main { return .mailbox(.main) }
        return .mailbox(
            OperationQueueTarget.directory.mailbox(of: queue) {
                SharedMailbox(OperationQueueTarget(queue))
            })
    }
}
