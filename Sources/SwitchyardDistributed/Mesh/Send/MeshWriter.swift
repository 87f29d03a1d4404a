// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

/// The thread that writes the frames that posting threads leave to it: everything that waits for a
/// connection at once, for as long as the connection takes it. The thread starts with the first
/// frame that is left to it.
final class MeshWriter: @unchecked Sendable {
    // Sendable: `written` and `blocked` belong to the thread, and the rest is constant or guards
    // itself.

    private let network: any MeshNetwork
    private let poller: Poller
    private let hasThread = Atomic<Bool>(false)
    /// The token of the thread; 0 before there is one.
    private let thread = Atomic<UInt>(0)
    /// Whether the system could not start the thread when it was last tried.
    let isStalled = Atomic<Bool>(false)
    /// A lock held during each write, and by callers that need the writer to pause. Taken before
    /// the mesh's lock.
    private let turn = Guarded(())
    /// The connections written to since memory was last given back.
    private var written: [UInt64: MeshConnection] = [:]
    /// The connections that take nothing for now.
    private var blocked: [UInt64: MeshConnection] = [:]

    init(_ network: any MeshNetwork) throws(DistributedCenterError) {
        self.network = network
        poller = try Poller()
    }

    /// Has the thread look for connections to write to. Called under the mesh's lock. The thread
    /// keeps the mesh alive until the mesh is stopped.
    func wake(for mesh: Mesh) {
        if hasThread.exchange(true, ordering: .acquiringAndReleasing) { return poller.wake() }
        do {
            try SystemThread.start("sw-writer") { [self] in write(for: mesh) }
        } catch {
            // The frames wait, up to their queue's limit. The reading thread tries again.
            hasThread.store(false, ordering: .releasing)
            isStalled.store(true, ordering: .releasing)
            mesh.poller.wake()
        }
    }

    /// Tries again to start a thread that could not be started. Called by the reading thread.
    func startIfStalled(for mesh: Mesh) {
        guard isStalled.exchange(false, ordering: .acquiringAndReleasing) else { return }
        mesh.state.withLock { _ in wake(for: mesh) }
    }

    /// Has another thread write from now on, if the caller is the writing thread: a hook there has
    /// called `exit`, and this thread never returns from it. What waits is still written.
    func writeElsewhere(for mesh: Mesh) {
        guard thread.load(ordering: .acquiring) == switchyard_thread_token() else { return }
        mesh.state.withLock { state in
            // The thread may have had some of them in hand.
            state.toWrite = state.connections.values.filter { !$0.queue.isEmpty }
        }
        // Without that thread, it is given up after a while.
        try? SystemThread.start("sw-writer") { [self] in write(for: mesh) }
    }

    /// Has the thread check whether the mesh has stopped. Does nothing if the thread was never
    /// started.
    func wakeIfThereIs() {
        if hasThread.load(ordering: .acquiring) { poller.wake() }
    }

    private func write(for mesh: Mesh) {
        thread.store(switchyard_thread_token(), ordering: .releasing)
        switchyard_sleep_precisely()
        var lastWrite: UInt64 = 0
        var lastTrim = switchyard_now()
        while !mesh.hasStopped.load(ordering: .acquiring) {
            // In a burst, waiting for more frames saves system calls, and wake-ups of the other
            // processes.
            if switchyard_now() - lastWrite < Self.burst { usleep(Self.nap) }
            var ready: [MeshConnection] = mesh.state.withLock { state in
                defer { state.toWrite.removeAll(keepingCapacity: true) }
                return state.toWrite
            }
            if ready.isEmpty {
                wait(for: mesh, &ready)
            } else if !blocked.isEmpty {
                // A connection that could take nothing for a moment must not wait for the end of a
                // burst to others.
                poll(milliseconds: 0, &ready)
            }
            if ready.isEmpty { continue }
            for connection in ready { writeOut(connection, mesh) }
            for connection in ready { written[connection.token] = connection }
            lastWrite = switchyard_now()
            // Posts that never pause must not keep the memory of an earlier burst, or connections
            // that have ended.
            if lastWrite &- lastTrim > Self.longestKept {
                lastTrim = lastWrite
                trim(mesh)
            }
        }
    }

    /// Waits for frames to write, or for connections that take frames again.
    private func wait(for mesh: Mesh, _ ready: inout [MeshConnection]) {
        // A poster that goes on writes into memory that it has used before: fresh memory from the
        // system costs more than the copies.
        if !written.isEmpty {
            if poll(milliseconds: Self.pause, &ready) { return }
            trim(mesh)
        }
        poll(milliseconds: -1, &ready)
    }

    /// Adds the connections that take frames again.
    ///
    /// - Returns: Whether there was any event within the time.
    @discardableResult
    private func poll(milliseconds: Int32, _ ready: inout [MeshConnection]) -> Bool {
        poller.wait(milliseconds: milliseconds) { token, _ in
            if let connection = blocked[token] { ready.append(connection) }
        }
    }

    /// Milliseconds without a write after which the memory of a burst is given back.
    private static let pause: Int32 = 100
    /// Nanoseconds after which it is given back although writes go on.
    private static let longestKept: UInt64 = 1_000_000_000
    /// Nanoseconds without a write after which a burst is over.
    private static let burst: UInt64 = 200_000
    /// Microseconds to wait for more frames in a burst.
    private static let nap: UInt32 = 50

    /// The number of writes to one connection before the others have their turn.
    private static let mostWrites = 16
    /// The number of bytes that are enough for another write right after one. If fewer wait, more
    /// is waited for: each write takes the mesh's lock from the posting threads, and wakes the other
    /// process.
    private static let enough = 64 * 1024

    /// Calls `body` while the writer writes nothing. `body` may take the mesh's lock; no user's
    /// code may run in it.
    func takeTurn<Result: Sendable>(_ body: () -> Result) -> Result {
        turn.withLock { _ in body() }
    }

    /// The result of one write.
    private enum Outcome: Sendable {
        case wrote
        /// Few bytes are left: more may follow soon.
        case fewAreLeft
        /// The queue is empty, or the connection is closed.
        case nothing
        /// The connection takes no more for now.
        case full
        case broken
    }

    /// Writes the frames that wait for a connection, until none is left, the connection takes no
    /// more, or it is the others' turn.
    private func writeOut(_ connection: MeshConnection, _ mesh: Mesh) {
        for _ in 0..<Self.mostWrites {
            let (outcome, news) = takeTurn { writeOnce(connection, mesh) }
            mesh.tell(news)
            switch outcome {
            case .wrote: continue
            case .fewAreLeft:
                goOnLater(connection, mesh)
                return unblock(connection)
            case .nothing: return unblock(connection)
            case .full: return block(connection)
            case .broken:
                connection.breakOff()
                return unblock(connection)
            }
        }
        goOnLater(connection, mesh)
        unblock(connection)
    }

    /// Has the rest written in the next round, after the other connections and a pause.
    private func goOnLater(_ connection: MeshConnection, _ mesh: Mesh) {
        mesh.state.withLock { $0.toWrite.append(connection) }
    }

    private func writeOnce(_ connection: MeshConnection, _ mesh: Mesh) -> (Outcome, WriterNews) {
        let (left, news) = mesh.beginWriting(to: connection)
        guard let left else { return (.nothing, news) }
        if connection.batch.hasTaken { connection.batch.copyTaken() }
        let count = connection.batch.withBytes { bytes in
            network.send(
                UnsafeRawBufferPointer(rebasing: bytes[left...]), to: connection.descriptor)
        }
        if count == -Int(EAGAIN) { return (.full, news) }
        if count < 0 { return (.broken, news) }
        let fewAreLeft = mesh.wrote(count, to: connection, enough: Self.enough)
        return (fewAreLeft ? .fewAreLeft : .wrote, news)
    }

    /// Gives back the memory of a burst.
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
