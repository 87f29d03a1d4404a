// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import Switchyard
internal import Synchronization

// The thread that reads all connections. Handlers that hear where notifications arrive run here.
extension Mesh {
    /// How much is read at once.
    private static var readBytes: Int { 256 * 1024 }

    /// Reads until the mesh is stopped.
    func read() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.readBytes, alignment: 16)
        defer { buffer.deallocate() }
        while !hasStopped.load(ordering: .acquiring) {
            let wasPaused = isListenerPaused
            poller.wait(milliseconds: waitLimit) { token, _ in
                switch token {
                case Self.wakeToken: tellInterest()
                case Self.listenerToken: accept()
                default: _ = read(from: token, into: buffer)
                }
            }
            if wasPaused { resumeListener() }
            for address in redials.takeDue() { connect(to: address) }
        }
    }

    /// There is one only while somebody is to be tried again.
    private var waitLimit: Int32 {
        let limit = redials.milliseconds
        if !isListenerPaused { return limit }
        return limit < 0 ? 100 : min(limit, 100)
    }

    /// - Returns: Whether there may be more.
    func read(from token: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let connection = state.withLock({ $0.connections[token] }) else { return false }
        let count = network.receive(into: buffer, from: connection.descriptor)
        if count == -Int(EAGAIN) { return false }
        if count <= 0 {
            hangUp(connection)
            return false
        }
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

    /// Closes a connection of which nothing comes any more.
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

    /// Changes the state, and then ends the waits for what has come true.
    func update(_ change: (inout MeshState) -> Void) {
        let done = state.withLock { state in
            change(&state)
            return state.takeDoneWaiters()
        }
        for waiter in done { waiter.finish([]) }
    }
}

/// A peer ended the connection, and said why.
struct PeerSaidBye: Error, CustomStringConvertible {
    let reason: String
    var description: String { "it ended the connection: \(reason)" }
}

extension MeshConnection {
    /// Who is at the other end: the number of the process is the kernel's, the rest its own words.
    func peer(from greeting: Greeting) -> DistributedPeer {
        DistributedPeer(
            id: greeting.id.description,
            processIdentifier: process != 0 ? process : greeting.process,
            processName: greeting.processName)
    }
}
