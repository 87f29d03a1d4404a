// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

/// A thread that runs its run loop and delivers notifications, until it is stopped.
///
/// ```swift
/// let worker = DeliveryThread(name: "indexer")
/// let token = center.observe(FileChanged.self, on: .thread(worker)) { message in … }
/// ```
/// The thread ends when it is stopped, or when nothing refers to it any more. What waited by then is
/// delivered first, and what waited in its notification queues for the default or common modes is
/// posted.
public final class DeliveryThread: Sendable {
    /// What the thread itself holds: not the `DeliveryThread`, so that dropping that ends it.
    private final class Body: @unchecked Sendable {
        // Sendable: `work` is locked, `ended` a semaphore; `source` is set before `ready` is signalled.
        struct Block: Sendable {
            let run: @Sendable () -> Void
        }

        struct Work: Sendable {
            /// Taken one by one, so that a run loop inside a block goes on with the next.
            var blocks = FIFO<Block>()
            var isStopping = false
        }

        let work = Guarded(Work())
        let ready = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        // Unsafe to the compiler: set on the thread before `ready`, read by others after it.
        nonisolated(unsafe) var mailbox: DeliveryMailbox?
        // As above.
        nonisolated(unsafe) var source: RunLoopSource?

        func run(_ name: String, _ bound: DeliveryBound?) {
            let mailboxes = RunLoopMailboxes.attach(named: name, bound: bound)
            let mailbox = mailboxes.mailbox(modes: [.common])
            self.mailbox = mailbox
            source = RunLoopSource(inModes: [.common]) { [unowned self] in runBlocks() }
            ready.signal()
            while !isFinished(mailbox) {
                // A loop that is to end is looked after: posting its queues' notifications does not
                // make it return.
                let limit = isStopping ? Date(timeIntervalSinceNow: 0.01) : .distantFuture
                _ = RunLoop.current.run(mode: .default, before: limit)
            }
            source?.invalidate()
            // Not left to the thread's end, so that who joined finds the mailbox closed.
            RunLoopMailboxes.current.threadEnds()
            ended.signal()
        }

        private var isStopping: Bool { work.withLock(\.isStopping) }

        private func isFinished(_ mailbox: DeliveryMailbox) -> Bool {
            work.withLock { $0.isStopping && $0.blocks.isEmpty } && mailbox.depth == 0
                && !Backlog.waitsForDefaultMode
        }

        /// Runs at most as many as there were, so that the loop gets to its other sources.
        private func runBlocks() {
            var left = work.withLock { $0.blocks.count }
            if left > 1 { source?.signal() }
            while left > 0, let block = work.withLock({ $0.blocks.popFirst() }) {
                block.run()
                left -= 1
            }
            if work.withLock({ !$0.blocks.isEmpty }) { source?.signal() }
        }

        func stop() {
            work.withLock { $0.isStopping = true }
            source?.signal()
        }
    }

    /// What the thread was named.
    public let name: String
    private let body = Body()
    /// Where deliveries to this thread wait: one mailbox for all centers and observers.
    public let mailbox: DeliveryMailbox
    /// The thread, for `Thread`'s own interfaces.
    public var thread: Thread { storage.thread }
    private let storage: Storage

    // Sendable: `Thread` may be used from any thread.
    private struct Storage: @unchecked Sendable {
        let thread: Thread
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: what reports and debuggers call it.
    ///   - stackSize: in bytes; nil for the system's choice.
    ///   - bound: how many deliveries may wait, in equal parts for each observer that has no bound of
    ///     its own; nil: any number.
    public init(name: String, stackSize: Int? = nil, bound: DeliveryBound? = nil) {
        self.name = name
        let thread = Thread { [body] in
            ThreadName.current = name
            body.run(name, bound)
        }
        thread.name = name
        if let stackSize { thread.stackSize = stackSize }
        thread.start()
        body.ready.wait()
        guard let mailbox = body.mailbox else {
            preconditionFailure("the thread said that it was ready, and has no mailbox")
        }
        self.mailbox = mailbox
        storage = Storage(thread: thread)
    }

    deinit { body.stop() }

    /// Runs `block` on the thread, behind what was given to it before.
    ///
    /// - Returns: Whether the thread took it: false once it is stopping.
    @discardableResult
    public func perform(_ block: @escaping @Sendable () -> Void) -> Bool {
        let accepted = body.work.withLock { work in
            if work.isStopping { return false }
            work.blocks.append(Body.Block(run: block))
            return true
        }
        if accepted { body.source?.signal() }
        return accepted
    }

    /// Has the thread end when it has delivered what waits. Returns at once.
    public func stop() { body.stop() }

    /// Waits until the thread has ended.
    ///
    /// - Parameter timeout: at most so long; nil for ever.
    /// - Returns: Whether it has ended.
    @available(*, noasync, message: "it blocks the calling thread")
    @discardableResult
    public func join(timeout: Duration? = nil) -> Bool {
        guard let timeout else {
            body.ended.wait()
            body.ended.signal()
            return true
        }
        let (seconds, attoseconds) = timeout.components
        // A century is for ever.
        let limit = Double(min(seconds, 3_155_760_000)) + Double(attoseconds) * 1e-18
        guard body.ended.wait(timeout: .now() + limit) == .success else {
            return false
        }
        body.ended.signal()
        return true
    }
}
