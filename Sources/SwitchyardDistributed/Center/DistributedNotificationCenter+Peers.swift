// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// The other processes of the domain.
extension DistributedNotificationCenter {
    /// Whether other processes can be reached at all. False in a child that was forked from the
    /// process that made the center: the connections are the parent's. On a cluster, false while
    /// there is no connection to a server.
    public var isConnected: Bool { transport?.isConnected ?? false }

    /// Whether this process knows the processes that a notification has reached, and the numbers of
    /// notifications that wait for each; false with a server between the processes.
    package var tracksDelivery: Bool { transport?.tracksDelivery ?? false }

    /// Whether ``peers`` has all other processes of the domain; otherwise those that have answered.
    package var knowsPeers: Bool { transport?.knowsPeers ?? false }

    /// This process, as others see it.
    public var ownPeer: DistributedPeer {
        transport?.ownPeer
            ?? DistributedPeer(
                id: "", processIdentifier: getpid(),
                processName: ProcessInfo.processInfo.processName)
    }

    /// The other processes of the domain, with the state of the connection to each.
    public var peers: [DistributedPeerStatus] { transport?.peers ?? [] }

    /// Waits until every other process knows of the observers that were registered here before.
    /// Notifications that they post from then on are heard.
    ///
    /// A stopped process does not answer, and is not waited for beyond `limit`.
    ///
    /// - Parameter limit: The time to wait at most.
    /// - Returns: The processes that did not answer in time; empty if all did.
    @discardableResult
    public func waitUntilReady(within limit: Duration) async -> [DistributedPeer] {
        await transport?.waitUntilReady(within: limit) ?? []
    }

    /// Waits until no notification posted here waits in this process any more. Other processes then
    /// get them even if this one ends.
    ///
    /// A process that exits by returning from main, or by `exit`, waits in the same way by itself
    /// for the centers that it still has. So does a center whose last reference is released, for as
    /// long as the process lasts. Waiting notifications are then written for as long as the others
    /// take them. A process that takes nothing for 10 seconds is given up; its loss is reported as
    /// an outgoing ``DistributedLoss``.
    ///
    /// - Parameter limit: The time to wait at most.
    /// - Returns: The processes for which something still waits, because they do not read.
    @discardableResult
    public func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] {
        await transport?.waitUntilFlushed(within: limit) ?? []
    }

    /// Asks another process for a sign of life, which it gives even if its main thread is busy.
    ///
    /// - Returns: The time until the answer; nil if none came in time, as from a stopped process.
    public func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? {
        await transport?.ping(peer, within: limit)
    }

    /// Asks another process for the status of its own peers: the notifications that wait for them
    /// there, and their losses.
    ///
    /// - Returns: The statuses; nil if no answer came in time.
    public func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? {
        await transport?.status(of: peer, within: limit)
    }

    /// Calls `hook` when notifications were lost between this process and another. With nil, the
    /// default, losses are reported to the problem hook.
    ///
    /// The hook is called on the thread that finds out. Most often that thread reads or writes for
    /// all peers, so the hook must be quick. Notifications that are given up when the process exits
    /// are reported on the exiting thread.
    public func onLoss(_ hook: (@Sendable (DistributedLoss) -> Void)?) { intake.onLoss(hook) }
}

extension DistributedNotificationCenter {
    /// Begins to leave: later posts no longer go to other processes, as far as the transport can
    /// refuse them.
    package func beginLeaving() { transport?.beginLeaving() }

    /// Leaves at once: nobody hears this center any more, and waiting notifications are given up
    /// and reported.
    ///
    /// Observers in this process hear what is posted here also after that: the receipt counts it as
    /// dropped for others, and the problem hook is told once.
    ///
    /// - Returns: The losses that were reported.
    package func leave() -> [DistributedLoss] { transport?.close(flushing: false) ?? [] }

    /// Leaves as the exit of the process does, and blocks the calling thread meanwhile. Does nothing
    /// on another transport than the mesh.
    ///
    /// - Parameter patience: the time after which a peer that takes nothing is given up.
    /// - Returns: The losses that were reported.
    package func leaveWhenSettled(patience: Duration) -> [DistributedLoss] {
        (transport as? Mesh)?.endWhenSettled(patience: patience) ?? []
    }
}

// MARK: - On threads that may block

extension DistributedNotificationCenter {
    /// Waits like ``waitUntilReady(within:)``, and blocks the calling thread.
    @available(*, noasync, message: "it blocks the calling thread; in async code, await it")
    @discardableResult
    public func blockUntilReady(within limit: Duration) -> [DistributedPeer] {
        transport?.blockUntilReady(within: limit) ?? []
    }

    /// Waits like ``waitUntilFlushed(within:)``, and blocks the calling thread.
    @available(*, noasync, message: "it blocks the calling thread; in async code, await it")
    @discardableResult
    public func blockUntilFlushed(within limit: Duration) -> [DistributedPeer] {
        transport?.blockUntilFlushed(within: limit) ?? []
    }
}
