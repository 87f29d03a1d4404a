// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
public import ServiceLifecycle
public import Switchyard
internal import SwitchyardCore

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
/// waits, and up to 100 deliveries that come meanwhile. If that takes longer than the limit, the
/// other deliveries are dropped. When the task is cancelled, all deliveries that wait are dropped.
/// Dropped deliveries are reported to the problem hook of their center as undeliverable, and their
/// number is in the ``DrainReport``. Blocks that the thread was given, notifications in its queues
/// and messages in its ports are still handled.
///
/// A group shuts services down in the reverse order of their list. So list the thread before the
/// services that post to it.
public struct DeliveryThreadService: Service, CustomStringConvertible {
    private let thread: DeliveryThread
    private let limit: Duration
    private let onEnd: (@Sendable (DrainReport) -> Void)?

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
        let dropped = Guarded(0)
        let hasEnded = await withTaskCancellationHandler {
            // Fails when the task is cancelled: then everything was dropped.
            try? await gracefulShutdown()
            thread.stop()
            let hasEnded = await joined()
            if !hasEnded { dropped.add(thread.drop()) }
            return hasEnded
        } onCancel: {
            dropped.add(thread.drop())
        }
        let isCancelled = Task.isCancelled
        onEnd?(
            DrainReport(
                name: description, left: dropped.withLock { $0 }, losses: [],
                isStillRunning: !hasEnded, isCancelled: isCancelled))
        if isCancelled { throw CancellationError() }
    }

    /// Waits until the thread has ended, for no longer than the limit. In a task of its own, because
    /// the thread still drops its mail when the service's task is cancelled.
    private func joined() async -> Bool {
        await Task { [thread, limit] in await thread.waitUntilEnded(within: limit) }.value
    }
}

extension Guarded<Int> {
    fileprivate borrowing func add(_ count: Int) { withLock { $0 += count } }
}
#endif
