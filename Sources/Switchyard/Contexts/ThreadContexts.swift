// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

/// The thread that registers, as the context of handlers: written `.thisThread`.
///
/// A type of its own, because observers that stay on one thread need not be `Sendable`: a handler
/// is called on that thread only, and its captures are destroyed there, at the thread's next turn
/// after the observation has ended, or when the thread ends. Register on that thread: to use its
/// context on another one stops the program.
///
/// - Warning: Swift 6.3 can't see that a handler stays with the thread. It lets code that has
///   registered one send the handler's captures to another thread afterwards, which is a data race.
public struct ThisThreadContext {
    /// On the run loop of the thread that registers, in its common modes. The thread must run its
    /// loop; deliveries that wait meanwhile are made when it does.
    ///
    /// A post made on the thread is delivered before it returns when nothing waits, unless the loop
    /// runs in a mode that is none of the common ones: then it waits for one of those. On the main
    /// thread this is `.main`, where such a post is delivered at once in every mode.
    ///
    /// Not for async code, nor from a dispatch queue, also not inside `queue.sync`: the thread is
    /// lent there, and changes under your feet. That stops the program, except inside
    /// `DispatchQueue.main.sync`, where nothing tells the caller from other code of the main
    /// thread: a handler that is registered there runs on the main thread, while its captures are
    /// the waiting thread's.
    @available(
        *, noasync, message: "a task changes threads; use .main, or .thread of a thread you keep"
    )
    public static var thisThread: ThisThreadContext {
        checkIsNoTask()
        return ThisThreadContext(home: currentHome)
    }

    /// Stops the program in a task that is not on the main thread, whatever executor it has.
    private static func checkIsNoTask() {
        Misuse.unless(
            MainQueue.isCurrent || withUnsafeCurrentTask { $0 == nil },
            "a task may go on on another thread after each await, while .thisThread stays on this one; leave out "
                + "`on:`, or use .actor, or .thread of a DeliveryThread")
    }

    private let home: ThreadHome

    var mailbox: SharedMailbox { home.mailbox }

    /// Keeps `handler`, which need not be `Sendable`, on this context's thread.
    func confine<Handler>(_ handler: Handler) -> Confined<Handler> {
        Misuse.unless(
            home.isCurrent,
            "the context that .thisThread gave to \(mailbox.label) was used on another thread, where "
                + "nothing of that thread's may be registered; write .thisThread where you "
                + "register, or use .thread with a handler that is Sendable")
        return home.confine(handler)
    }

    /// Keeps a method on this context's thread, if it is called there: a method of the main actor
    /// is called on `SharedMailbox.main` whatever the context, so it must not stay here.
    ///
    /// - Parameter mailbox: the mailbox on which the method is called.
    func confine<Observer, Payload>(
        _ method: @escaping (Observer) -> (Payload) throws -> Void, calledOn mailbox: SharedMailbox?
    ) -> (Observer, Payload) throws -> Void {
        guard mailbox === self.mailbox else { return { try method($0)($1) } }
        let confined = confine(method)
        return { try confined.value?($0)($1) }
    }

    /// Stops the program unless this is the main thread's context: a main-actor method of an
    /// observer that is not `Sendable` can be called from no other.
    func checkIsMain(_ origin: RegistrationSite) {
        Misuse.unless(
            home === ThreadHome.mains && home.isCurrent,
            "the method registered at \(origin) is isolated to the main actor, and its observer can't "
                + "leave this thread, because it is not Sendable: register it on the main thread")
    }

    /// The home of the calling thread.
    static var currentHome: ThreadHome {
        if MainQueue.isCurrent { return .mains }
        Misuse.unless(
            !PoolThread.isCurrent,
            "a dispatch queue's thread has no run loop of its own to deliver on; use "
                + ".dispatchQueue(queue), or .thread of a DeliveryThread")
        return RunLoopMailboxes.current.home
    }
}

@available(*, unavailable, message: "it stays on the thread that made it; use .thread elsewhere")
extension ThisThreadContext: Sendable {}

extension DeliveryContext {
    /// On the run loop of `thread`, in its common modes.
    ///
    /// - Precondition: The thread has attached itself, by `.thisThread` or
    ///   `Thread.attachCurrentForDelivery()`: nothing can be delivered to one that has not.
    ///   Use `deliveryMailbox` to ask first.
    public static func thread(_ thread: Thread) -> DeliveryContext {
        guard let mailbox = thread.deliveryMailbox else {
            Misuse.stop(
                "the thread \(thread.name.map { "\"\($0)\"" } ?? "without a name") has not attached itself, or has ended: call "
                    + "Thread.attachCurrentForDelivery() on it once and run its run loop, or "
                    + "use a DeliveryThread")
        }
        return .mailbox(mailbox)
    }

    /// On `loop`, in `modes` only (common modes stand for the loop's set of them). The main run loop
    /// in the common modes is `.main`: there, a post made on the main thread is
    /// delivered before it returns in any mode.
    ///
    /// A post made on the loop's thread is delivered before it returns while the loop runs in one
    /// of the modes and nothing waits; in another mode it waits. While no loop runs, it waits as
    /// well, but for the common modes alone: they stand for the thread, as
    /// ``ThisThreadContext/thisThread`` does. (A post that waits for its handlers, `postAndWait`,
    /// delivers to its own thread at once in any mode: it would wait for itself.)
    ///
    /// A loop whose thread has not attached itself, be it the calling thread, is attached by a block
    /// sent through the loop. Deliveries wait until the loop has run in one of the modes; if its thread ends before that, they are reported as
    /// undeliverable when the `RunLoop` is released. The main run loop is never released: in
    /// programs that call `dispatchMain()` or have an async `@main`, deliveries to it in modes
    /// other than the common ones alone wait without a report, unless the loop ran in one of the
    /// modes before; use `.main` there. Each set of modes has a mailbox of its own, so order holds
    /// among observers with the same modes. An empty set of modes is a programmer's error, and traps.
    public static func runLoop(
        _ loop: RunLoop, modes: Set<RunLoop.Mode> = [.common]
    ) -> DeliveryContext {
        Misuse.unless(!modes.isEmpty, "a run loop delivers in at least one mode")
        if loop === RunLoop.main, modes == [.common] { return .mailbox(.main) }
        return .mailbox(RunLoopMailboxes.of(loop).mailbox(modes: modes))
    }
}

extension Thread {
    /// Makes the calling thread one on which notifications can be delivered: `.thread(_:)` may name
    /// it from now on. The thread must run its run loop to hear anything.
    ///
    /// - Returns: The thread's mailbox: one for all centers and observers.
    @available(*, noasync, message: "a task changes threads")
    @discardableResult
    public static func attachCurrentForDelivery() -> SharedMailbox {
        ThisThreadContext.currentHome.mailbox
    }

    /// The thread's mailbox; nil if the thread has not attached itself, or has ended.
    public var deliveryMailbox: SharedMailbox? {
        isMainThread ? .main : RunLoopMailboxes.of(self)?.mailbox(modes: [.common])
    }
}
