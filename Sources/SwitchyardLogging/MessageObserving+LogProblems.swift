// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Logging
public import Logging
public import SwitchyardCore

extension MessageObserving {
    /// Writes the problems of this center's deliveries to `logger`, from now on.
    ///
    /// ```swift
    /// NotificationCenter.default.logProblems(to: Logger(label: "folio.notifications"))
    /// ```
    /// A handler that threw is an error. Deliveries that were not made, notifications that were
    /// lost between processes, and every other problem are warnings. A mailbox that fills up is a
    /// notice, and a post that reached nobody is a debug message. Messages are the same for all
    /// problems of a kind; the values are metadata: `topic`, `context`, `origin`, `count`, `kind`,
    /// and, for problems that are not about one notification, `detail`. The log never has a
    /// payload.
    ///
    /// The hooks of `onProblem`, `onDeadLetter` and `onLoss` are called as before. Without a hook,
    /// problems go to the log alone, and no longer to standard error. The logger is called on the
    /// thread where the problem came up. For a problem that the logger itself causes, it is not
    /// called.
    ///
    /// Posts that reached nobody are logged only if the logger's level is debug or lower at the
    /// time of this call: each takes a lock then. Nothing else on the way of a post changes.
    ///
    /// - Parameter logger: the logger to write to. Nothing is changed in the logging system.
    /// - Returns: The registration. The log goes on, until it is cancelled or the center ends, also
    ///   when the registration is dropped.
    @discardableResult
    public func logProblems(to logger: Logger) -> ProblemLog {
        let logDeadLetter: @Sendable (String) -> Void = { topic in
            logger.debug("post reached nobody", metadata: ["topic": "\(topic)"])
        }
        let listener = CenterListener(
            logs: true, problem: { ProblemEntry($0).write(to: logger) },
            deadLetter: logger.logLevel > .debug ? nil : logDeadLetter)
        engine.add(listener)
        return ProblemLog(listener, of: self)
    }

    /// Writes to `logger`, as warnings, deliveries of this center that are late on a context.
    ///
    /// ```swift
    /// center.logLateDeliveries(to: logger, after: .milliseconds(16), on: .thread(worker))
    /// ```
    /// The log sets the hook of `onLate(after:on:clock:_:)` for the context, with what that costs;
    /// the hook set before is replaced, and setting it to nil ends the log. The metadata are
    /// `topic`, `context`, `origin`, `waited`, `took` and `running`.
    ///
    /// - Parameters:
    ///   - logger: the logger to write to.
    ///   - limit: the time that a delivery may wait, and its handler may run: more than zero.
    ///   - context: the context whose deliveries are watched; not the posting thread.
    ///   - clock: the clock that measures.
    public func logLateDeliveries(
        to logger: Logger, after limit: Duration, on context: DeliveryContext,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        onLate(after: limit, on: context, clock: clock) { late in
            logger.warning("delivery is late", metadata: late.metadata)
        }
    }

    /// Writes to `logger`, as warnings, deliveries of this center that are late on the main actor;
    /// otherwise as with another context.
    public func logLateDeliveries(
        to logger: Logger, after limit: Duration, on context: MainContext,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        logLateDeliveries(to: logger, after: limit, on: .mailbox(.main), clock: clock)
    }
}

extension LateDelivery {
    fileprivate var metadata: Logger.Metadata {
        [
            "topic": "\(topic)", "context": "\(context)", "origin": "\(origin)",
            "waited": "\(waited)", "took": "\(took)", "running": "\(isStillRunning)",
        ]
    }
}
#endif
