// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

/// The thread that registers, as a place for handlers: written `.thisThread`.
///
/// A type of its own, because observers that stay on one thread need not be `Sendable`.
public struct ThisThreadContext {
    /// On the run loop of the thread that registers, in its common modes. The thread must run its
    /// loop; what waits meanwhile is delivered when it does. On the main thread this is `.main`.
    ///
    /// Not for async code, nor from a dispatch queue, also not inside `queue.sync`: the thread is
    /// lent there, and changes under your feet.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public static var thisThread: ThisThreadContext {
        ThisThreadContext(mailbox: currentMailbox(modes: [.common]))
    }

    let mailbox: DeliveryMailbox

    static func currentMailbox(modes: Set<RunLoop.Mode>) -> DeliveryMailbox {
        if MainTarget.isCurrent { return .main }
        precondition(
            !LentThread.isCurrent,
            "a dispatch queue's thread has no run loop of its own to deliver on; use "
                + ".dispatchQueue(queue), or .thread of a DeliveryThread")
        return RunLoopMailboxes.current.mailbox(modes: modes)
    }
}

extension DeliveryContext {
    /// On the run loop of `thread`, in its common modes.
    ///
    /// - Precondition: The thread has attached itself, by `.thisThread` or
    ///   ``DeliveryMailbox/attachCurrentThread()``: nothing can be delivered to one that has not.
    ///   Use ``DeliveryMailbox/ofThread(_:)`` to ask first.
    public static func thread(_ thread: Thread) -> DeliveryContext {
        guard let mailbox = DeliveryMailbox.ofThread(thread) else {
            preconditionFailure(
                "the thread has not attached itself, or has ended: call "
                    + "DeliveryMailbox.attachCurrentThread() on it once and run its run loop, or "
                    + "use a DeliveryThread")
        }
        return .mailbox(mailbox)
    }

    /// On a ``DeliveryThread``.
    public static func thread(_ thread: DeliveryThread) -> DeliveryContext {
        .mailbox(thread.mailbox)
    }

    /// On `loop`, in `modes` only (common modes stand for the loop's set of them).
    ///
    /// For a loop of another thread, a block sent through it attaches it; mail waits until the loop
    /// has run in one of the modes. If its thread ends before that, mail is reported as undeliverable
    /// when the loop goes, that is when nobody holds the `RunLoop` any more. Each set of modes has a
    /// mailbox of its own, so order holds among observers with the same modes.
    public static func runLoop(
        _ loop: RunLoop, modes: Set<RunLoop.Mode> = [.common]
    ) -> DeliveryContext {
        precondition(!modes.isEmpty, "a run loop delivers in at least one mode")
        if loop === RunLoop.main, modes == [.common] { return .mailbox(.main) }
        return .mailbox(RunLoopMailboxes.of(loop).mailbox(modes: modes))
    }
}

extension DeliveryMailbox {
    /// Makes the calling thread one that can be named by `.thread(_:)`. The thread must run its run
    /// loop to hear anything.
    ///
    /// - Returns: The thread's mailbox: one for all centers and observers.
    @available(*, noasync, message: "a task changes threads")
    @discardableResult
    public static func attachCurrentThread() -> DeliveryMailbox {
        ThisThreadContext.currentMailbox(modes: [.common])
    }

    /// The mailbox of `thread`, or nil if it has not attached itself, or has ended.
    public static func ofThread(_ thread: Thread) -> DeliveryMailbox? {
        thread.isMainThread ? .main : RunLoopMailboxes.of(thread)?.mailbox(modes: [.common])
    }
}
