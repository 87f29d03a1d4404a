// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import Switchyard
internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

// The thread that reads all connections. Handlers that run where notifications arrive run on it.
extension Mesh {
    /// The most bytes that are read at once.
    private static var readBytes: Int { 256 * 1024 }

    /// Starts the thread that reads.
    func startReading() throws(DistributedCenterError) {
        // As much as other threads have: a user's handlers may run here.
        try SystemThread.start("sw-receiver", stackBytes: 8 * 1024 * 1024) { [self] in
            readingThread.store(switchyard_thread_token(), ordering: .releasing)
            read()
        }
    }

    /// Has another thread read from now on, if the caller is the reading thread: a handler there
    /// has called `exit`, and this thread never returns from it. Other processes still get answers,
    /// and the end of their connections is noticed.
    func readElsewhere() {
        guard readingThread.load(ordering: .acquiring) == switchyard_thread_token() else { return }
        // The rest of the bytes in hand is lost, so nothing more can be read from that connection.
        if let token = tokenInHand, let connection = state.withLock({ $0.connections[token] }) {
            poller.forget(connection.descriptor)
        }
        // Without that thread, others learn of the end when the process has ended.
        try? startReading()
    }

    /// Reads until the mesh is stopped.
    private func read() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.readBytes, alignment: 16)
        defer { buffer.deallocate() }
        while !hasStopped.load(ordering: .acquiring) {
            let wasPaused = isListenerPaused
            poller.wait(milliseconds: waitLimit) { token, _ in
                switch token {
                case Poller.wakeToken: tellInterest()
                case Self.listenerToken: accept()
                case Self.addressToken: Self.addressesChanged()
                default: _ = read(from: token, into: buffer)
                }
            }
            if wasPaused { resumeListener() }
            keepAddress()
            writer.startIfStalled(for: self)
            for address in redials.takeDue() { connect(to: address) }
            tellReturns()
        }
    }

    /// Milliseconds to wait for events; negative for no limit. There is a limit only while an
    /// attempt of some kind is to be repeated.
    private var waitLimit: Int32 {
        let limits = [
            redials.milliseconds(), returns.milliseconds, absenceMilliseconds,
            isListenerPaused ? 100 : -1,
            writer.isStalled.load(ordering: .relaxed) ? 100 : -1,
        ]
        return limits.filter { $0 >= 0 }.min() ?? -1
    }

    /// Reads once from a connection.
    ///
    /// - Returns: Whether there may be more to read.
    func read(from token: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let connection = state.withLock({ $0.connections[token] }) else { return false }
        let count = network.receive(into: buffer, from: connection.descriptor)
        if count == -Int(EAGAIN) { return false }
        if count <= 0 {
            hangUp(connection)
            return false
        }
        let outer = tokenInHand
        tokenInHand = token
        defer { tokenInHand = outer }
        do {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            switch connection {
            case let inlet as Inlet: try take(bytes, from: inlet)
            case let outlet as Outlet: try take(bytes, from: outlet)
            default: break
            }
        } catch {
            refuse(connection, because: error)
            return false
        }
        return true
    }

    /// Closes a connection that has ended, and reports the fault if this process broke it off.
    private func hangUp(_ connection: MeshConnection) {
        let (fault, peer) = state.withLock { _ in (connection.fault, connection.knownPeer) }
        if let fault {
            intake?.report(problem: "the connection to \(peer) was ended: \(fault)")
        }
        close(connection)
    }

    func pass(over type: UInt8) throws {
        if type < FrameType.firstIgnorable { throw WireError("a frame of type \(type)") }
    }

    func answer(_ type: FrameType, _ number: UInt64, to connection: MeshConnection) {
        var frame = ByteWriter()
        frame.frame(type, number)
        state.withLock { state in
            frame.withBytes { write($0, to: connection, &state) }
        }
    }

    /// Changes the state, and then finishes the waiters whose goal is reached.
    func update(_ change: (inout MeshState) -> Void) {
        let done = state.withLock { state in
            change(&state)
            return state.takeDoneWaiters()
        }
        for waiter in done { waiter.finish([]) }
    }
}

/// The error of a connection that the peer ended with BYE.
struct PeerSaidBye: Error, CustomStringConvertible {
    let reason: String
    /// The most Unicode scalars of the peer's reason that are shown.
    private static let longestShown = 500

    var description: String {
        "it ended the connection: \(reason.shortened(to: Self.longestShown).shown)"
    }
}

extension MeshConnection {
    /// Returns the process at the other end. Its process identifier comes from the kernel if the
    /// kernel knows it; everything else is the process's own word.
    func peer(from greeting: Greeting) -> DistributedPeer {
        DistributedPeer(
            id: greeting.id.description,
            processIdentifier: process != 0 ? process : greeting.process,
            processName: greeting.processName)
    }
}
