// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
internal import Synchronization

// Callbacks for libnats, which calls them on its own threads or on ours.
extension NATSSession {
    func setCallbacks(
        _ library: OpaquePointer, _ pointer: UnsafeMutableRawPointer
    ) throws {
        let statuses = [
            natsOptions_SetEventLoop(
                library, pointer, Self.attach, Self.changeRead, Self.changeWrite, Self.detach),
            natsOptions_SetClosedCB(library, Self.hasClosed, pointer),
            natsOptions_SetErrorHandler(library, Self.hasFailed, pointer),
        ]
        for status in statuses { try NATSError.check(status, "set the callbacks") }
    }

    private static func own(_ pointer: UnsafeMutableRawPointer?) -> NATSSession {
        guard let pointer else {
            preconditionFailure("libnats gives back the pointer that it was given")
        }
        return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let attach: natsEvLoop_Attach = { data, loop, _, socket in
        data?.pointee = loop
        let session = own(loop)
        // Until `detach`, which libnats calls when the closed callback may have run already.
        _ = Unmanaged.passRetained(session)
        session.socket.store(socket, ordering: .releasing)
        // Otherwise a child would keep the connection, and with it the names of durable observers,
        // when this process has gone.
        _ = switchyard_fork_closes(socket)
        // This limit closes the connection to a server that has taken nothing for a minute, also
        // while a thread is blocked in a write.
        var limit: CInt = 60_000
        setsockopt(
            socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit,
            socklen_t(MemoryLayout<CInt>.size))
        return NATS_OK
    }

    private static let changeRead: natsEvLoop_ReadAddRemove = { data, adds in
        let session = own(data)
        if adds { return NATS_OK }
        let socket = session.releaseSocket()
        if socket >= 0 { session.delegate.didRelease(socket) }
        return NATS_OK
    }

    /// Gives the socket up, before libnats or the connection's thread closes it.
    ///
    /// - Returns: The socket; -1 if it was given up before.
    private func releaseSocket() -> natsSock {
        let socket = socket.exchange(-1, ordering: .acquiringAndReleasing)
        if socket >= 0 { switchyard_fork_forget(socket) }
        return socket
    }

    private static let changeWrite: natsEvLoop_WriteAddRemove = { data, adds in
        let session = own(data)
        session.wantsWrite.store(adds, ordering: .sequentiallyConsistent)
        // Called under libnats's lock. A thread that is posting writes by itself when its
        // publication is done.
        if adds, !session.isPosting.load(ordering: .sequentiallyConsistent) {
            session.askToWrite()
        }
        return NATS_OK
    }

    private static let detach: natsEvLoop_Detach = { data in
        guard let data else { return NATS_OK }
        let session = Unmanaged<NATSSession>.fromOpaque(data).takeRetainedValue()
        _ = session.releaseSocket()
        if let handle = session.handle { switchyard_nats_detached(handle) }
        // The session, which owns the handle, must live until the call has returned.
        withExtendedLifetime(session) {}
        return NATS_OK
    }

    private static let hasClosed: natsConnectionHandler = { _, data in
        guard let data else { return }
        let session = Unmanaged<NATSSession>.fromOpaque(data).takeRetainedValue()
        session.delegate.didEnd(session)
    }

    private static let hasFailed: natsErrHandler = { _, _, status, data in
        let delegate = own(data).delegate
        if status == NATS_NOT_PERMITTED, let text = nats_GetLastError(nil),
            let refusal = ServerRefusal(String(cString: text))
        {
            return delegate.didRefuse(refusal)
        }
        delegate.didFail("\(NATSError(status, "go on"))")
    }
}
#endif
