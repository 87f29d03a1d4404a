// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Calls `hook` with deliveries of this center that are late on a context; nil: no more.
    ///
    /// ```swift
    /// center.onLate(after: .milliseconds(16), on: .thread(worker)) { late in print(late) }
    /// ```
    /// A handler that runs for longer than `limit` is told twice: while it runs, from a task, so
    /// that one that never returns is named too; and when it has returned, on the context itself. A
    /// delivery that waited for longer than `limit` is told when its handler has returned.
    /// Deliveries behind a late one that have waited too long as well are not reported, until one
    /// has come in time.
    ///
    /// The context is a thread, queue, loop or actor. ``DeliveryContext/poster`` has no mailbox, so
    /// nothing waits there, and to name it stops the program. An async handler has a task of its
    /// own for a context, and keeps nobody waiting but itself: it is not watched. Nor are
    /// deliveries of other centers on the same context, and those that the hook itself makes on its
    /// thread.
    ///
    /// The task that names a handler which still runs needs a thread of Swift's pool. When handlers
    /// block all of them, it comes later. If the clock's `sleep` throws, a handler that was late is
    /// named when it has returned.
    ///
    /// The center keeps the context until it goes itself, or the hook is set to nil. With the hook,
    /// each delivery reads the clock three times, and gets a parcel of its own. Deliveries of other
    /// centers on the same context read no clock and allocate nothing more; they only ask who
    /// watches.
    ///
    /// - Parameters:
    ///   - limit: the time that a delivery may wait, and its handler may run: more than zero.
    ///   - context: the context whose deliveries are watched.
    ///   - clock: the clock that measures.
    ///   - hook: the code to call; it replaces the one set before for this context.
    public func onLate(
        after limit: Duration, on context: DeliveryContext,
        clock: some Clock<Duration> = ContinuousClock(),
        _ hook: (@Sendable (LateDelivery) -> Void)?
    ) {
        Misuse.unless(limit > .zero, "a delivery is late after some time, not after \(limit)")
        guard let mailbox = engine.mailbox(of: context) else {
            Misuse.stop(
                "onLate watches a mailbox, and the posting thread's context has none: measure the "
                    + "post itself, or name the thread, queue or actor to watch")
        }
        let registry = engine.registry
        let watch = hook.map {
            LateWatch(
                registry.identity, on: mailbox.label, after: limit, PaceClock(clock), $0)
        }
        registry.setWatch(watch, on: mailbox)
    }

    /// Calls `hook` with deliveries of this center that are late on the main actor; nil: no more.
    /// Otherwise as with another context. All centers of the program share the main actor: with one
    /// such hook, each delivery there asks whether its own center watches.
    ///
    /// ```swift
    /// center.onLate(after: .milliseconds(16), on: .main) { late in print(late) }
    /// ```
    /// - Parameters:
    ///   - limit: the time that a delivery may wait, and its handler may run: more than zero.
    ///   - context: the main actor.
    ///   - clock: the clock that measures.
    ///   - hook: the code to call; it replaces the one set before for the main actor. It is called
    ///     on the main thread, and, for a handler that still runs, from a task.
    public func onLate(
        after limit: Duration, on context: MainContext,
        clock: some Clock<Duration> = ContinuousClock(),
        _ hook: (@Sendable (LateDelivery) -> Void)?
    ) {
        onLate(after: limit, on: .mailbox(.main), clock: clock, hook)
    }
}
