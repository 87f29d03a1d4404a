// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A mailbox in the hands of its maker: with the right to drain and to close it.
///
/// A delivery context of your own has one, and so has its target, which is given it when it is
/// woken (see ``MailboxTarget``). Hand out ``shared``, or a ``DeliveryContext``: these can be
/// delivered through, and nothing else.
///
/// To let a mailbox go is not to end it: deliveries that wait in it are neither made nor reported,
/// and keep the mailbox and its target alive. Call ``close()`` when the target ends.
public struct DeliveryMailbox: Sendable {
    /// The mailbox in the form for everybody else: to deliver through and to look at.
    public let shared: SharedMailbox

    /// A mailbox that `target` drains.
    ///
    /// - Parameters:
    ///   - target: the thread, queue or loop on which it delivers.
    ///   - highWaterMark: the number of waiting deliveries that is reported; a positive number,
    ///     or this traps.
    ///   - bound: the number of deliveries that may wait, in equal parts for each observer that has
    ///     no bound of its own; nil: any number.
    public init(
        target: any MailboxTarget, highWaterMark: Int = 100_000, bound: DeliveryBound? = nil
    ) {
        shared = SharedMailbox(OwnTarget(target), highWaterMark: highWaterMark, bound: bound)
    }

    /// The form of `shared` that its target is given when it is woken, with the right to drain.
    /// Made by `OwnTarget` alone.
    fileprivate init(of shared: SharedMailbox) { self.shared = shared }

    /// The mailbox's name in reports.
    public var label: String { shared.label }

    /// The number of waiting deliveries.
    public var depth: Int { shared.depth }

    /// Whether the target has ended: posts to it are undeliverable.
    public var isClosed: Bool { shared.isClosed }

    /// Delivers the waiting mail, on the calling thread: the target calls this after a wake-up.
    ///
    /// Makes at most the deliveries that waited when it began. If more have come by the end, the
    /// target is woken again, so that a loop that drains also gets to its timers and sources.
    public func drain() { shared.drainAll() }

    /// Delivers at most `limit` of the waiting deliveries, on the calling thread, for a target that
    /// shares out its thread. Otherwise as ``drain()``: if more wait, the target is woken again. The
    /// end of a pause counts as one delivery, and all that the pause kept is delivered with it.
    ///
    /// - Returns: The number of deliveries that were taken.
    @discardableResult
    public func drain(atMost limit: Int) -> Int { shared.deliver(atMost: max(0, limit)) }

    /// Ends the mailbox, because its target has ended: waiting mail is reported as undeliverable,
    /// and so are later posts, in their receipts. Registrations stay until their token or object
    /// goes.
    public func close() { shared.end() }
}

/// A target of a type outside of Switchyard, as Switchyard's own code sees it. Each wake-up hands
/// the target the right to drain.
private final class OwnTarget: WaitableTarget {
    private let target: any MailboxTarget

    init(_ target: any MailboxTarget) { self.target = target }

    var label: String { target.label }
    var isCurrent: Bool { target.isCurrent }
    var runsNestedLoops: Bool { target.runsNestedLoops }
    var waitResources: [WaitGraph.Resource] {
        target.thread.map { [$0.resource(target.label)] } ?? []
    }

    func wake(_ mailbox: SharedMailbox) { target.wake(DeliveryMailbox(of: mailbox)) }
}
