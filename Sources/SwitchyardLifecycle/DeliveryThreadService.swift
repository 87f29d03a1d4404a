// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
public import ServiceLifecycle
public import Switchyard

/// A delivery thread as a service: it delivers until a graceful shutdown, then drains.
///
/// ```swift
/// let worker = DeliveryThread(name: "indexer")
/// let group = ServiceGroup(
///     services: [DeliveryThreadService(worker), server], gracefulShutdownSignals: [.sigterm],
///     logger: logger)
/// try await group.run()
/// ```
/// On a graceful shutdown the thread is stopped, as by `DeliveryThread.stop()`: it delivers what
/// waits, and up to 100 deliveries that come meanwhile. The others are dropped, and so is what is
/// left when the limit is over. When the task is cancelled, all deliveries that wait are dropped,
/// and the service ends within a second: it waits no longer for a handler that is running. Dropped
/// deliveries are reported to the problem hook of their center as undeliverable, and their number
/// is in the ``DrainReport``. Blocks that the thread was given, notifications in its queues and
/// messages in its ports are still handled.
///
/// A group shuts services down in the reverse order of their list. So list the thread before the
/// services that post to it.
public struct DeliveryThreadService: Service, CustomStringConvertible {
    private let thread: DeliveryThread
    private let limit: Duration
    private let onEnd: (@Sendable (DrainReport) -> Void)?

    /// The time in which a thread ends that has nothing left to do.
    private static let moment = Duration.seconds(1)

    /// Creates the service of a thread, which it keeps.
    ///
    /// - Parameters:
    ///   - thread: the thread to stop on a shutdown.
    ///   - limit: the time that the thread has, from then on, to deliver what waits.
    ///   - onEnd: called once, with the outcome, when the service ends.
    public init(
        _ thread: DeliveryThread, drainingFor limit: Duration = .seconds(10),
        onEnd: (@Sendable (DrainReport) -> Void)? = nil
    ) {
        self.thread = thread
        self.limit = limit
        self.onEnd = onEnd
    }

    /// The thread's name, for the group's log.
    public var description: String { "delivery thread \(thread.name)" }

    /// Waits for a graceful shutdown, and drains the thread. For the service group.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func run() async throws {
        // Fails when the task is cancelled.
        try? await gracefulShutdown()
        var dropped = 0
        if Task.isCancelled { dropped += thread.drop() } else { thread.stop() }
        var hasEnded = await thread.waitUntilEnded(within: limit)
        if !hasEnded {
            dropped += thread.drop()
            // With nothing left to do, it needs a moment to end.
            hasEnded = await hasEndedSoon()
        }
        let isCancelled = Task.isCancelled
        onEnd?(
            DrainReport(
                name: description, left: dropped + thread.leftDeliveries,
                losses: [], unflushed: [], isStillRunning: !hasEnded, isCancelled: isCancelled))
        if isCancelled { throw CancellationError() }
    }

    /// Waits a moment until the thread has ended, in a task of its own, which is not cancelled. A
    /// group ends no sooner than its services.
    private func hasEndedSoon() async -> Bool {
        let rest = min(limit, Self.moment)
        return await Task { [thread] in await thread.waitUntilEnded(within: rest) }.value
    }
}
#endif
