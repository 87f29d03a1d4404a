// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard
internal import Synchronization

/// A mailbox that a test drains when it wants to. Deliveries wait until then, in order.
///
/// ```swift
/// let mailbox = ManualMailbox()
/// let token = center.observe(Ping.self, on: .mailbox(mailbox.mailbox)) { pings.append($0) }
/// center.post(Ping())
/// #expect(pings.isEmpty)
/// mailbox.drain()
/// #expect(pings.count == 1)
/// ```
public final class ManualMailbox: Sendable {
    private final class Target: MailboxTarget {
        let label: String
        let wakeUps = Atomic<Int>(0)

        init(_ label: String) { self.label = label }

        func wake(_ mailbox: DeliveryMailbox) { wakeUps.wrappingAdd(1, ordering: .relaxed) }
    }

    private let target: Target
    /// The mailbox to observe on, as `.mailbox(manual.mailbox)`.
    public var mailbox: SharedMailbox { own.shared }
    private let own: DeliveryMailbox

    /// Creates a mailbox whose deliveries wait for ``drain()``.
    ///
    /// - Parameters:
    ///   - label: the mailbox's name in reports.
    ///   - highWaterMark: the number of waiting deliveries that is reported as a problem; a
    ///     positive number, or this traps.
    public init(label: String = "manual mailbox", highWaterMark: Int = 100_000) {
        target = Target(label)
        own = DeliveryMailbox(target: target, highWaterMark: highWaterMark)
    }

    deinit { own.close() }

    /// The context to give to observers.
    public var context: DeliveryContext { .mailbox(mailbox) }
    /// The number of waiting deliveries.
    public var depth: Int { mailbox.depth }
    /// The number of times that the mailbox asked to be drained.
    public var wakeUps: Int { target.wakeUps.load(ordering: .relaxed) }
    /// Makes all waiting deliveries, on the calling thread.
    public func drain() { own.drain() }

    /// Makes at most `limit` waiting deliveries, on the calling thread. If deliveries remain, the
    /// mailbox asks to be drained again, which counts as a wake-up.
    ///
    /// - Returns: The number of deliveries taken from the mailbox, including those whose
    ///   observation has ended.
    @discardableResult
    public func drain(atMost limit: Int) -> Int { own.shared.deliver(atMost: limit) }

    /// Makes the first waiting delivery, on the calling thread, and no other.
    ///
    /// ```swift
    /// while mailbox.deliverNext() { checkInvariants() }
    /// ```
    /// - Returns: Whether a delivery waited. True also for one whose observation has ended.
    @discardableResult
    public func deliverNext() -> Bool { drain(atMost: 1) == 1 }

    /// Ends the mailbox, as the end of a thread ends the thread's mailbox.
    public func close() { own.close() }
}
