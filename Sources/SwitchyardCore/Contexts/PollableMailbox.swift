// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A mailbox for a bare thread, or for an event loop that is not Switchyard's: a file descriptor
/// becomes readable when something waits.
///
/// ```swift
/// let mailbox = try PollableMailbox(label: "my loop")
/// let token = center.observe(Ping.self, on: .mailbox(mailbox)) { ping in … }
///
/// // A bare thread:
/// while isRunning { mailbox.waitAndDrain() }
/// // A loop that polls: have it watch mailbox.fileDescriptor for reading, and then
/// mailbox.drain()
/// ```
/// A process that forks without `exec` has a mailbox of its own in the child, under the same file
/// descriptor, with a copy of the waiting mail: the parent still hears the deliveries that the
/// child drains. But a child of a process with threads has only the thread that forked. A lock that
/// another thread held at that moment stays locked in the child, where posting, observing and
/// draining may then wait for ever: do nothing there but `exec`, unless the process had one thread.
public final class PollableMailbox: Sendable {
    private final class Target: ContextTarget {
        let label: String
        let signal: switchyard_signal

        init(label: String) throws(PollableMailboxError) {
            self.label = label
            signal = switchyard_signal_create()
            if signal.read_end < 0 { throw .outOfDescriptors }
            // A forked child shares the descriptor if there is no memory to note it.
            _ = switchyard_signal_survives_fork(signal)
        }

        deinit {
            switchyard_signal_forget(signal)
            switchyard_signal_close(signal)
        }

        func wake(_ mailbox: SharedMailbox) { switchyard_signal_raise(signal) }
    }

    private let target: Target
    /// The mailbox itself, for ``DeliveryContext/mailbox(_:)-(SharedMailbox)``.
    public let mailbox: SharedMailbox

    /// A mailbox with a descriptor of its own.
    ///
    /// - Parameters:
    ///   - label: the name in reports.
    ///   - highWaterMark: the number of waiting deliveries that is reported; a positive number,
    ///     or this traps.
    ///   - bound: the number of deliveries that may wait, in equal parts for each observer that has
    ///     no bound of its own; nil: any number.
    public init(
        label: String, highWaterMark: Int = 100_000, bound: DeliveryBound? = nil
    ) throws(PollableMailboxError) {
        target = try Target(label: label)
        mailbox = SharedMailbox(target, highWaterMark: highWaterMark, bound: bound)
    }

    deinit { mailbox.end() }

    /// A file descriptor that is readable when something waits. Poll it, and don't read from it. It
    /// is open for as long as the mailbox lives.
    public var fileDescriptor: Int32 { target.signal.read_end }

    /// The number of waiting deliveries.
    public var depth: Int { mailbox.depth }

    /// Delivers the waiting mail, on the calling thread. Calls must not overlap, except that one
    /// may be made inside another.
    public func drain() {
        switchyard_signal_clear(target.signal)
        mailbox.drainAll()
    }

    /// Waits until something is there, and delivers it on the calling thread.
    ///
    /// - Parameter timeout: the longest time to wait, to the millisecond; nil for ever.
    /// - Returns: Whether something was there.
    @available(*, noasync, message: "it blocks the calling thread")
    @discardableResult
    public func waitAndDrain(timeout: Duration? = nil) -> Bool {
        // A handler of this mailbox may wait here: the waiting mail goes on, and new mail has to
        // wake the wait.
        if DrainFrame.isInside(mailbox), mailbox.prepareForWait() {
            drain()
            return true
        }
        guard switchyard_signal_wait(target.signal, Self.milliseconds(timeout)) else {
            return false
        }
        drain()
        return true
    }

    private static func milliseconds(_ duration: Duration?) -> Int32 {
        guard let duration else { return -1 }
        let (seconds, attoseconds) = duration.withinACentury.components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        // A time limit beyond the system's largest counts as the largest: 24 days.
        return Int32(clamping: min(max(0, seconds), Int64(Int32.max)) * 1000 + max(0, rest))
    }
}

extension DeliveryContext {
    /// Delivers through `mailbox`, in the order of posting.
    public static func mailbox(_ mailbox: PollableMailbox) -> DeliveryContext {
        .mailbox(mailbox.mailbox)
    }
}
