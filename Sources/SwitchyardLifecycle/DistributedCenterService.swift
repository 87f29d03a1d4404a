// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
public import ServiceLifecycle
internal import SwitchyardCore
public import SwitchyardDistributed

/// A distributed center, with its transport, as a service: it reaches other processes until a
/// graceful shutdown, then sends what waits, and leaves.
///
/// ```swift
/// let center = try DistributedNotificationCenter(domain: "org.example.folio")
/// let group = ServiceGroup(
///     services: [DistributedCenterService(center), DeliveryThreadService(worker), server],
///     gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
/// On a graceful shutdown, a center without a server between the processes takes no more posts for
/// others: their receipts count them as dropped, and the problem hook is told once. It sends what
/// waits for as long as the others take it, and no longer than the limit. Then it leaves: what is
/// left is reported as lost, on both sides. Other transports take posts until they leave. A NATS
/// transport goes on for up to 4 seconds after that, by itself, to get through what it has; posts
/// that wait for a connection are in the report, which also names the server or stream that had not
/// taken everything, and other losses come to the center's loss hook.
///
/// Posts of other processes are heard until the center leaves. When the task is cancelled, the
/// center leaves at once.
///
/// Observers in this process hear what is posted here also after that.
public struct DistributedCenterService: Service, CustomStringConvertible {
    private let center: DistributedNotificationCenter
    private let limit: Duration
    private let onEnd: (@Sendable (DrainReport) -> Void)?

    /// Creates the service of a center, which it keeps.
    ///
    /// - Parameters:
    ///   - center: the center that leaves on a shutdown. It can't join again.
    ///   - limit: the time that other processes have, from then on, to take what waits for them.
    ///   - onEnd: called once, with the outcome, when the service ends.
    public init(
        _ center: DistributedNotificationCenter, drainingFor limit: Duration = .seconds(10),
        onEnd: (@Sendable (DrainReport) -> Void)? = nil
    ) {
        self.center = center
        self.limit = limit
        self.onEnd = onEnd
    }

    /// The process's name and number, for the group's log.
    public var description: String { "distributed center of \(center.ownPeer)" }

    /// Waits for a graceful shutdown, sends what waits, and leaves. For the service group.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func run() async throws {
        // Fails when the task is cancelled, and then does not wait.
        var unflushed: [DistributedPeer] = []
        if (try? await gracefulShutdown()) != nil {
            center.beginLeaving()
            unflushed = await center.waitUntilFlushed(within: limit)
        }
        let losses = center.leave()
        let isCancelled = Task.isCancelled
        let left = losses.reduce(into: 0) { $0.addClamped(Int(clamping: $1.count)) }
        onEnd?(
            DrainReport(
                name: description, left: left, losses: losses, unflushed: unflushed,
                isStillRunning: false, isCancelled: isCancelled))
        if isCancelled { throw CancellationError() }
    }
}
#endif
