// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// The other processes.
extension DistributedNotificationCenter {
    /// Whether other processes can be reached at all.
    public var isConnected: Bool { transport != nil }

    /// This process, as others see it.
    public var ownPeer: DistributedPeer {
        transport?.ownPeer
            ?? DistributedPeer(
                id: "", processIdentifier: getpid(),
                processName: ProcessInfo.processInfo.processName)
    }

    /// The other processes of the domain, and what is known of the way there.
    public var peers: [DistributedPeerStatus] { transport?.peers ?? [] }

    /// Waits until every other process knows of the observers that were registered here before: what
    /// they post from then on is heard.
    ///
    /// A process that is stopped does not answer, and is not waited for longer than `limit`.
    ///
    /// - Parameter limit: how long to wait at most.
    /// - Returns: The processes that did not answer in time; none: all did.
    @discardableResult
    public func ready(within limit: Duration) async -> [DistributedPeer] {
        await transport?.ready(within: limit) ?? []
    }

    /// Waits until nothing that was posted here waits in this process any more: other processes get
    /// it also if this one ends.
    ///
    /// A process that exits by returning from main, or by `exit`, does that by itself, for the centers
    /// that it still has. What waits in a center when its last reference goes is given up: keep it, or
    /// flush it, also right after a post (`DistributedNotificationCenter.default()` is always kept).
    ///
    /// - Parameter limit: how long to wait at most.
    /// - Returns: The processes for which something still waits, because they do not read.
    @discardableResult
    public func flush(within limit: Duration) async -> [DistributedPeer] {
        await transport?.flush(within: limit) ?? []
    }

    /// Asks another process for a sign of life, which it gives also while its main thread is busy.
    ///
    /// - Returns: How long that took; nil when none came in time, as from a stopped process.
    public func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? {
        await transport?.ping(peer, within: limit)
    }

    /// Asks another process for what it knows of its own peers: what waits for them there, and what
    /// they lost.
    ///
    /// - Returns: What it said; nil when it said nothing in time.
    public func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? {
        await transport?.status(of: peer, within: limit)
    }

    /// Calls `hook` when notifications were lost between this process and another. Nil, as at first: it
    /// is reported to the problem hook.
    ///
    /// It is called on the thread that finds out: one that reads or writes for all peers, most often,
    /// so it must be quick.
    public func onLoss(_ hook: (@Sendable (DistributedLoss) -> Void)?) { intake.onLoss(hook) }
}

// MARK: - On threads that may block

extension DistributedNotificationCenter {
    /// As ``ready(within:)``, and blocks the calling thread.
    @available(*, noasync, message: "it blocks the calling thread; in async code, await it")
    @discardableResult
    public func blockUntilReady(within limit: Duration) -> [DistributedPeer] {
        if let mesh = transport as? Mesh { return mesh.blockingReady(within: limit) }
        return Self.block { [self] in await ready(within: limit) }
    }

    /// As ``flush(within:)``, and blocks the calling thread.
    @available(*, noasync, message: "it blocks the calling thread; in async code, await it")
    @discardableResult
    public func blockUntilFlushed(within limit: Duration) -> [DistributedPeer] {
        if let mesh = transport as? Mesh { return mesh.blockingFlush(within: limit) }
        return Self.block { [self] in await flush(within: limit) }
    }

    /// For transports of others. The mesh needs no task to wait in, of whose threads a forked child has
    /// none.
    private static func block(
        _ wait: @escaping @Sendable () async -> [DistributedPeer]
    ) -> [DistributedPeer] {
        let result = Guarded<[DistributedPeer]>([])
        let box = Box(result)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let missing = await wait()
            _ = box.value.exchange(missing)
            done.signal()
        }
        done.wait()
        return box.value.withLock { $0 }
    }

    private final class Box: Sendable {
        let value: Guarded<[DistributedPeer]>
        init(_ value: consuming Guarded<[DistributedPeer]>) { self.value = value }
    }
}
