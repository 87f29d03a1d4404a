// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

/// A thread that runs its run loop and delivers notifications, until it is stopped.
///
/// ```swift
/// let worker = DeliveryThread(name: "indexer")
/// let token = center.observe(FileChanged.self, on: .thread(worker)) { message in … }
/// ```
/// The thread ends when it is stopped, or when neither the program nor a registration refers to it
/// any more. An observation on the thread keeps it, and so does a center that delivers there
/// (``NotificationCenter/init(delivering:)-(DeliveryContext)``). A context made of it,
/// `.thread(worker)`, keeps it only until the first registration there has ended: hold on to the
/// `DeliveryThread` for as long as you register. ``stop()`` says how the thread ends.
public final class DeliveryThread: Sendable {
    /// The thread's name.
    public let name: String
    private let body: DeliveryThreadBody
    /// The mailbox of deliveries to this thread: one mailbox for all centers and observers.
    public let mailbox: SharedMailbox
    /// The thread, for `Thread`'s own interfaces.
    public var thread: Thread { storage.thread }
    private let storage: Storage
    private let left: LeftDeliveries

    // Sendable: `Thread` may be used from any thread.
    private struct Storage: @unchecked Sendable {
        let thread: Thread
    }

    /// Starts a thread.
    ///
    /// The program stops, with a message that says why, if the stack's size is negative, or if the
    /// system can't start a thread: it has no memory for the stack, runs as many threads as it may,
    /// or has no free file descriptors. On Linux the run loop of each thread takes three
    /// descriptors (`ulimit -n` is the limit of a process). A program that should go on without the
    /// thread has to check before that there is room.
    ///
    /// - Parameters:
    ///   - name: the name in reports and debuggers.
    ///   - stackSize: in bytes; nil for the system's choice, which the thread gets as well if the
    ///     system has no stacks of the size.
    ///   - bound: the number of deliveries that may wait, in equal parts for each observer that has
    ///     no bound of its own; nil: any number.
    public init(name: String, stackSize: Int? = nil, bound: DeliveryBound? = nil) {
        if let stackSize, stackSize < 0 {
            Misuse.stop(
                "DeliveryThread \"\(name)\": a stack can't have \(stackSize) bytes; leave the size out for the "
                    + "system's choice")
        }
        self.name = name
        body = DeliveryThreadBody(name: name, bound: bound)
        let started = body.start(stackSize: stackSize)
        mailbox = started.mailbox
        storage = Storage(thread: started.thread)
        left = started.left
    }

    deinit { (mailbox.target as? RunLoopTarget)?.keeper?.handleHasGone() }

    /// Runs `block` on the thread, behind the blocks that it was given before.
    ///
    /// - Returns: Whether the thread took it: false once it is stopping, or has ended.
    @discardableResult
    public func perform(_ block: @escaping @Sendable () -> Void) -> Bool { body.perform(block) }

    /// Has the thread end when it has delivered its waiting mail. Returns at once.
    ///
    /// The thread first runs the blocks that it was given, delivers the mail for its run loop in
    /// the default or common modes (deliveries, notifications in its queues, messages in its
    /// ports), and up to 100 more of each kind that come meanwhile. So posts of these handlers are
    /// heard, and a handler that posts to its own thread without end does not keep it. Everything
    /// left, and everything that waits for other modes, is reported to the problem hook: of its
    /// center, or, for messages in ports, of ``NotificationCenter/default``.
    ///
    /// A handler that is running goes on, and a run loop inside it too: the thread ends when it has
    /// returned. A handler that calls `Thread.exit()` ends the thread at once: what waited is
    /// reported. Foundation on Linux keeps the run loop of such a thread, with its three file
    /// descriptors, for as long as the process lives: call ``stop()`` and return instead, where
    /// threads come and go.
    public func stop() { body.stop() }

    /// Waits until the thread has ended and has reported the mail that it left.
    ///
    /// - Parameter timeout: at most so long; nil for ever.
    /// - Returns: Whether it has ended. False at once on the thread itself, which would wait for
    ///   itself.
    @available(
        *, noasync,
        message: "it blocks the calling thread; in async code, await waitUntilEnded(within:)"
    )
    @discardableResult
    public func join(timeout: Duration? = nil) -> Bool { body.join(timeout) }

    /// Waits until the thread has ended and has reported the mail that it left, without blocking a
    /// thread: ``join(timeout:)`` for async code.
    ///
    /// ```swift
    /// worker.stop()
    /// await worker.waitUntilEnded()
    /// ```
    ///
    /// The wait keeps the thread: one that is not stopped does not end meanwhile.
    ///
    /// - Parameter limit: at most so long; nil for ever.
    /// - Returns: Whether it has ended. False if the time is over before, or the task is cancelled.
    @discardableResult
    public func waitUntilEnded(within limit: Duration? = nil) async -> Bool {
        await body.waitUntilEnded(within: limit)
    }
}

extension DeliveryThread {
    /// Has the thread end without making the deliveries that wait for it, which are reported to the
    /// problem hook. A handler that is running goes on. Returns at once.
    ///
    /// - Returns: The number of deliveries that were dropped.
    package func drop() -> Int {
        // The captures of handlers on `.thisThread` are still let go by the thread.
        let count = RunLoopMailboxes.of(thread)?.drop() ?? mailbox.drop()
        stop()
        return count
    }

    /// The number of deliveries that the thread left when it ended, which were reported to the
    /// problem hook. Those that ``drop()`` dropped are not among them.
    package var leftDeliveries: Int { left.count }
}

extension DeliveryContext {
    /// A context that delivers on a ``DeliveryThread``.
    public static func thread(_ thread: DeliveryThread) -> DeliveryContext {
        .mailbox(thread.mailbox)
    }
}
