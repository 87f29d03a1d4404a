// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Dispatch
public import Foundation
public import SwitchyardCore

/// A dispatch queue as the target of a mailbox. Drains do not overlap, also on a concurrent queue.
final class DispatchQueueTarget: MailboxTarget {
    static let directory = MailboxDirectory()

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    var label: String { "dispatch queue \(queue.label)" }

    func wake(_ mailbox: DeliveryMailbox) { queue.async { mailbox.drain() } }
}

/// An operation queue as the target of a mailbox. Drains do not overlap, whatever the queue's width.
final class OperationQueueTarget: PlacedTarget {
    static let directory = MailboxDirectory()

    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    var label: String { "operation queue \(queue.name ?? "unnamed")" }
    var waitPlaces: [WaitGraph.Place] { OperationQueuePlaces.needed(by: queue) }
    /// With one operation at a time, the caller's is it.
    var isCallers: Bool {
        queue.maxConcurrentOperationCount == 1 && OperationQueue.current === queue
    }

    func wake(_ mailbox: DeliveryMailbox) { queue.addOperation(Drain(mailbox)) }

    /// An operation that `cancelAllOperations()` does not stop: the mail is not the queue's to drop.
    private final class Drain: Operation, @unchecked Sendable {
        // Sendable: constant.
        private let mailbox: DeliveryMailbox
        init(_ mailbox: DeliveryMailbox) { self.mailbox = mailbox }
        override func main() { mailbox.drain() }
        override func cancel() {}
    }
}

extension DeliveryContext {
    /// On `queue`, in the order of posting, one delivery after the other: also a concurrent queue
    /// runs one at a time. The registration keeps the queue alive.
    public static func dispatchQueue(_ queue: DispatchQueue) -> DeliveryContext {
        if queue === DispatchQueue.main { return .mailbox(.main) }
        return .mailbox(
            DispatchQueueTarget.directory.mailbox(of: queue) {
                DeliveryMailbox(target: DispatchQueueTarget(queue))
            })
    }

    /// On `queue`, in the order of posting, one delivery after the other, whatever the queue's
    /// `maxConcurrentOperationCount`. A suspended queue delivers when it is resumed. The registration
    /// keeps the queue alive.
    public static func operationQueue(_ queue: OperationQueue) -> DeliveryContext {
        if queue === OperationQueue.main { return .mailbox(.main) }
        return .mailbox(
            OperationQueueTarget.directory.mailbox(of: queue) {
                DeliveryMailbox(target: OperationQueueTarget(queue))
            })
    }
}
