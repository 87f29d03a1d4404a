// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The thread that writes what posting threads leave to it: all that waits for a connection at once,
/// for as long as the connection takes it. It begins with the first that is left.
final class MeshWriter: @unchecked Sendable {
    // Sendable: `written` and `blocked` belong to the thread.

    private let network: any MeshNetwork
    private let poller: Poller
    private let hasThread = Atomic<Bool>(false)
    /// What was written to since the last rest.
    private var written: [UInt64: MeshConnection] = [:]
    /// Connections that take nothing for now.
    private var blocked: [UInt64: MeshConnection] = [:]

    init(_ network: any MeshNetwork) throws(MeshError) {
        self.network = network
        poller = try Poller()
    }

    /// Has the thread look at what is to be written. Called under the mesh's lock. The mesh ends with
    /// its center, and then has the thread end.
    func wake(for mesh: Mesh) {
        if hasThread.exchange(true, ordering: .acquiringAndReleasing) { return poller.wake() }
        let thread = Thread { [self] in
            switchyard_block_signals()
            write(for: mesh)
        }
        thread.stackSize = 512 * 1024
        thread.name = "sw-writer"
        thread.start()
    }

    /// Has the thread look whether the mesh has stopped. Without one, there is nothing to end.
    func wakeIfThereIs() {
        if hasThread.load(ordering: .acquiring) { poller.wake() }
    }

    private func write(for mesh: Mesh) {
        switchyard_sleep_precisely()
        var lastWrite: UInt64 = 0
        while !mesh.hasStopped.load(ordering: .acquiring) {
            // In a burst, to wait for more saves system calls and wake-ups of the others.
            if switchyard_now() - lastWrite < Self.burst { usleep(Self.nap) }
            var ready: [MeshConnection] = mesh.state.withLock { state in
                defer { state.toWrite.removeAll(keepingCapacity: true) }
                return state.toWrite
            }
            if ready.isEmpty { trim(mesh) }
            // Also in a burst to others: whoever could take nothing for a moment must not wait for its
            // end.
            if ready.isEmpty || !blocked.isEmpty {
                poller.wait(milliseconds: ready.isEmpty ? -1 : 0) { token, _ in
                    if let connection = blocked[token] { ready.append(connection) }
                }
            }
            if ready.isEmpty { continue }
            for connection in ready { writeOut(connection, mesh) }
            for connection in ready { written[connection.token] = connection }
            lastWrite = switchyard_now()
        }
    }

    /// Nanoseconds after which what comes is no part of the burst before.
    private static let burst: UInt64 = 200_000
    /// Microseconds for which more is waited for.
    private static let nap: UInt32 = 50

    /// How often a connection is written to before it is the others' turn.
    private static let mostWrites = 16

    /// Writes what waits for a connection, until nothing does, it takes no more, or others have waited
    /// for long enough.
    private func writeOut(_ connection: MeshConnection, _ mesh: Mesh) {
        var writes = 0
        while let left = mesh.beginWriting(to: connection) {
            if writes == Self.mostWrites {
                mesh.state.withLock { $0.toWrite.append(connection) }
                break
            }
            writes += 1
            if connection.batch.hasTaken { connection.batch.copyTaken() }
            let rest = connection.batch.bytes.withBytes { bytes in
                network.send(
                    UnsafeRawBufferPointer(rebasing: bytes[left...]), to: connection.descriptor)
            }
            if rest >= 0 {
                mesh.wrote(rest, to: connection)
            } else if rest == -Int(EAGAIN) {
                return block(connection)
            } else {
                connection.breakOff()
                break
            }
        }
        unblock(connection)
    }

    /// Before a rest, gives back the memory of the burst.
    private func trim(_ mesh: Mesh) {
        if written.isEmpty { return }
        mesh.state.withLock { state in
            for connection in written.values
            where connection.queue.isEmpty || connection.isClosed {
                connection.queue.trim()
                connection.batch.trim()
            }
            state.log.trim()
        }
        written.removeAll()
    }

    private func block(_ connection: MeshConnection) {
        if blocked.updateValue(connection, forKey: connection.token) != nil { return }
        if !poller.watch(connection.descriptor, as: connection.token, writes: true) {
            blocked[connection.token] = nil
            connection.breakOff()
        }
    }

    private func unblock(_ connection: MeshConnection) {
        if blocked.removeValue(forKey: connection.token) == nil { return }
        poller.forget(connection.descriptor)
    }
}

extension Mesh {
    /// Takes what waits for a connection, for the writer to write.
    ///
    /// - Returns: How much of the batch has left already; nil when there is nothing to write.
    func beginWriting(to connection: MeshConnection) -> Int? {
        let (left, loss, done) = state.withLock { state in
            if connection.isClosed { return (Int?.none, DistributedLoss?.none, [MeshWaiter]()) }
            let loss = (connection as? Outlet).flatMap { endOverflow(of: $0, &state) }
            if connection.queue.beginLeaving(in: &connection.batch) {
                return (connection.queue.left, loss, [])
            }
            state.pace.wrote()
            return (nil, loss, state.takeDoneWaiters())
        }
        if let loss { intake?.report(loss) }
        for waiter in done { waiter.finish([]) }
        return left
    }

    func wrote(_ count: Int, to connection: MeshConnection) {
        state.withLock { _ in
            connection.queue.leave(count)
            (connection as? Outlet)?.counts.hasMoved = true
        }
    }

    /// Once there is room again, tells a peer what it missed.
    private func endOverflow(
        of outlet: Outlet, _ state: inout MeshState
    ) -> DistributedLoss? {
        guard outlet.counts.isOverflowing, outlet.hasSaidWhatItWants,
            outlet.queue.count <= limits.queueBytes / 2
        else { return nil }
        return tellLoss(of: outlet, &state)
    }

    /// Tells a peer what it missed. Under the lock; the caller sees to it that it is written.
    func tellLoss(of outlet: Outlet, _ state: inout MeshState) -> DistributedLoss? {
        outlet.counts.isOverflowing = false
        var frame = ByteWriter()
        frame.frame(.lost, outlet.counts.nextSequence)
        outlet.queue.append(unnumbered: state.log.append(frame))
        defer { outlet.counts.lostSinceTold = 0 }
        return outlet.peer.map {
            DistributedLoss(peer: $0, direction: .outgoing, count: outlet.counts.lostSinceTold)
        }
    }
}
