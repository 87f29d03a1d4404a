// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard
internal import Synchronization

/// A mailbox that a test drains when it wants to: what was posted waits until then, in order.
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
    /// What to observe on: `.mailbox(manual.mailbox)`.
    public let mailbox: DeliveryMailbox

    /// A mailbox that waits for ``drain()``.
    ///
    /// - Parameters:
    ///   - label: what reports call it.
    ///   - highWaterMark: how many waiting deliveries are reported.
    public init(label: String = "manual mailbox", highWaterMark: Int = 100_000) {
        target = Target(label)
        mailbox = DeliveryMailbox(target: target, highWaterMark: highWaterMark)
    }

    deinit { mailbox.close() }

    /// The context for observers.
    public var context: DeliveryContext { .mailbox(mailbox) }
    /// How many deliveries wait.
    public var depth: Int { mailbox.depth }
    /// How often posts asked for the mailbox to be drained.
    public var wakeUps: Int { target.wakeUps.load(ordering: .relaxed) }
    /// Delivers what waits, on the calling thread.
    public func drain() { mailbox.drain() }

    /// Delivers what waits, on the calling thread, but at most so many. What is left waits on, and
    /// counts a further wake-up.
    ///
    /// - Returns: How many it took. Those whose observation has ended were taken, too.
    @discardableResult
    public func drain(atMost limit: Int) -> Int { mailbox.drain(atMost: limit) }

    /// Delivers what waits first, on the calling thread, and nothing else.
    ///
    /// ```swift
    /// while mailbox.deliverNext() { checkInvariants() }
    /// ```
    /// - Returns: Whether something waited.
    @discardableResult
    public func deliverNext() -> Bool { drain(atMost: 1) == 1 }

    /// Ends the mailbox, as the end of a thread ends that thread's.
    public func close() { mailbox.close() }
}
