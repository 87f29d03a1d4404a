// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// A connection of libnats to a server, until it breaks. It is part of this process's event loop: what is
/// posted is written by the posting thread as long as that is quick, and what comes is read by the
/// connection's thread. The library's own threads would write up to milliseconds later, and hand over
/// what comes from one to the next.
///
/// It does not connect again: in an event loop, the library keeps what it has read of half a message, and
/// takes the beginning of the next connection for the rest
/// ([nats.c 1007](https://github.com/nats-io/nats.c/issues/1007)). So each has one of these.
final class NATSSession: @unchecked Sendable {
    // Sendable: `handle` is set before anybody but the connecting thread has this, and libnats locks
    // what is behind it; `unwritten` is guarded as of who publishes; `waitsToWrite` and `lastWrite`
    // belong to the connection's thread; the rest is locked or atomic.

    /// What the poller calls its socket.
    let token: UInt64
    nonisolated(unsafe) private(set) var handle: OpaquePointer?
    private let connection: NATSConnection
    /// Whether there is something to write.
    private let wantsWrite = Atomic<Bool>(false)
    /// Whether the thread was asked to, and has not begun.
    private let isAsked = Atomic<Bool>(false)
    /// Whether a posting thread will see to what is to be written.
    private let isPosting = Atomic<Bool>(false)
    private let socket = Atomic<natsSock>(-1)
    /// Held by who has libnats read or write: it expects one thread to do both.
    private let events = Guarded(())
    private var unwritten = 0
    /// Whether the thread waits until it can write.
    private var waitsToWrite = false
    private var lastWrite: UInt64 = 0

    private init(_ token: UInt64, _ connection: NATSConnection) {
        self.token = token
        self.connection = connection
    }

    deinit { if let handle { natsConnection_Destroy(handle) } }

    // MARK: - Beginning and ending

    /// Connects. Blocks until a server has answered, or none has in time.
    ///
    /// libnats holds the session until it is closed.
    static func connect(
        _ options: NATSOptions, _ token: UInt64, for connection: NATSConnection
    ) throws -> NATSSession {
        let library = try options.makeLibraryOptions()
        defer { natsOptions_Destroy(library) }
        let session = NATSSession(token, connection)
        let own = Unmanaged.passRetained(session)
        var made: OpaquePointer?
        do {
            try session.setCallbacks(library, own.toOpaque())
            let status = natsConnection_Connect(&made, library)
            guard status == NATS_OK, made != nil else {
                throw NATSError(
                    status, "connect to \(options.servers.joined(separator: ", "))",
                    advice: Self.advice(for: status))
            }
        } catch {
            // The library tells nobody that a connection is closed which it never had.
            own.release()
            throw error
        }
        session.handle = made
        return session
    }

    private static func advice(for status: natsStatus) -> String {
        switch status {
        case NATS_NO_SERVER:
            "; start one there (nats-server), or set startsUnconnected to wait for it"
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            "; check the credentials"
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED:
            "; check the options for TLS"
        default: ""
        }
    }

    private func setCallbacks(
        _ library: OpaquePointer, _ pointer: UnsafeMutableRawPointer
    ) throws {
        let statuses = [
            natsOptions_SetEventLoop(
                library, pointer, Self.attach, Self.changeRead, Self.changeWrite, Self.detach),
            natsOptions_SetClosedCB(library, Self.hasClosed, pointer),
            natsOptions_SetErrorHandler(library, Self.hasFailed, pointer),
        ]
        for status in statuses { try NATSError.check(status, "set what is called") }
    }

    /// Whether it is of use.
    var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Other servers of the cluster, of which this one has told.
    var discoveredServers: [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        var count: Int32 = 0
        guard natsConnection_GetDiscoveredServers(handle, &list, &count) == NATS_OK, let list else {
            return []
        }
        defer { free(list) }
        return (0..<Int(count)).compactMap { index in
            defer { free(list[index]) }
            return list[index].map { String(cString: $0) }
        }
    }

    /// Waits until the server has done all that it was told. Blocks.
    ///
    /// - Returns: Whether it has in time.
    func flush(within milliseconds: Int64) -> Bool {
        natsConnection_FlushTimeout(handle, milliseconds) == NATS_OK
    }

    /// Ends it. Not while its thread reads.
    func close() { natsConnection_Close(handle) }

    // MARK: - Reading

    /// Has the thread told of what there is to read, and to write.
    func startPolling(_ poller: Poller) -> Bool {
        let socket = socket.load(ordering: .acquiring)
        return socket < 0 || poller.watch(socket, as: token, reads: true)
    }

    /// Reads what is there, and takes what has come with it: a connection that breaks takes along what
    /// was read and not taken.
    func read(_ take: () -> Void) {
        events.withLock { _ in
            natsConnection_ProcessReadEvent(handle)
            take()
        }
    }

    // MARK: - Writing

    /// Called before something is published, and under the same lock as ``hasPublished(_:mayWrite:)``.
    func willPublish() {
        if !wantsWrite.load(ordering: .sequentiallyConsistent) { unwritten = 0 }
        isPosting.store(true, ordering: .sequentiallyConsistent)
    }

    /// Writes what was published, or has that done: in a burst, when it is enough for one write; what is
    /// left in the end is the thread's.
    func hasPublished(_ bytes: Int, mayWrite: Bool) {
        isPosting.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) else { return }
        unwritten += bytes
        if mayWrite || unwritten >= Self.enough {
            // The thread may read just now: then it writes afterwards.
            _ = events.tryWithLock { _ in write() }
            unwritten = 0
        }
        if wantsWrite.load(ordering: .sequentiallyConsistent) { askToWrite() }
    }

    /// Has the thread write, once for a burst.
    private func askToWrite() {
        if !isAsked.exchange(true, ordering: .sequentiallyConsistent) { connection.wake() }
    }

    /// Only by who holds `events`.
    private func write() {
        // To write nothing looks to the library as if the server had gone.
        if wantsWrite.load(ordering: .sequentiallyConsistent) {
            natsConnection_ProcessWriteEvent(handle)
        }
    }

    /// How many bytes were not written yet.
    var buffered: Int { max(0, Int(natsConnection_Buffered(handle))) }

    /// Writes until no more than `count` bytes wait, or the server has taken nothing for so long.
    ///
    /// - Returns: Whether no more wait.
    func write(untilAtMost count: Int, patience milliseconds: Int32) -> Bool {
        var waiting = buffered
        var end = switchyard_now() + UInt64(milliseconds) * 1_000_000
        while waiting > count {
            let socket = socket.load(ordering: .acquiring)
            var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if socket < 0 || poll(&entry, 1, milliseconds) <= 0 { return false }
            // The thread may have it, and be held up.
            if !events.tryWithLock({ _ in write() }) { usleep(200) }
            let now = buffered
            if now < waiting {
                end = switchyard_now() + UInt64(milliseconds) * 1_000_000
            } else if switchyard_now() > end {
                return false
            }
            waiting = now
        }
        return true
    }

    // MARK: - Writing on the thread

    /// Nanoseconds after which what comes is no part of the burst before.
    private static let burst: UInt64 = 200_000
    /// Microseconds for which more is waited for, as long as more comes.
    private static let naps: [UInt32] = [50, 100, 200]
    /// So many bytes are enough for one write.
    private static let enough = 32 * 1024

    /// In a burst, waits: what is written at once saves system calls and wake-ups, here, in the server,
    /// and wherever it sends it.
    private func waitForMore() {
        var before = -1
        for nap in Self.naps {
            let now = buffered
            if now == before || !wantsWrite.load(ordering: .sequentiallyConsistent) { return }
            before = now
            usleep(nap)
        }
    }

    /// Writes what posting threads have left to the thread.
    func writeBurst(_ poller: Poller) {
        let hasWork = wantsWrite.load(ordering: .sequentiallyConsistent)
        if hasWork, !waitsToWrite, switchyard_now() - lastWrite < Self.burst { waitForMore() }
        // From here on, who posts asks again. Also when a posting thread wrote meanwhile.
        isAsked.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) || waitsToWrite else { return }
        events.withLock { _ in write() }
        lastWrite = switchyard_now()
        let waits = wantsWrite.load(ordering: .acquiring)
        if waits == waitsToWrite { return }
        waitsToWrite = waits
        let socket = socket.load(ordering: .acquiring)
        if socket >= 0 { _ = poller.watch(socket, as: token, reads: true, writes: waits) }
    }

    // MARK: - What libnats calls, on its threads or ours

    private static func own(_ pointer: UnsafeMutableRawPointer?) -> NATSSession {
        guard let pointer else { preconditionFailure("libnats gives back what it was given") }
        return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let attach: natsEvLoop_Attach = { data, loop, _, socket in
        data?.pointee = loop
        own(loop).socket.store(socket, ordering: .releasing)
        // A server that takes nothing for so long has gone, also for who is held up in a write.
        var limit: CInt = 60_000
        setsockopt(
            socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit,
            socklen_t(MemoryLayout<CInt>.size))
        return NATS_OK
    }

    private static let changeRead: natsEvLoop_ReadAddRemove = { data, adds in
        let session = own(data)
        if adds { return NATS_OK }
        let socket = session.socket.exchange(-1, ordering: .acquiringAndReleasing)
        if socket >= 0 { session.connection.forget(socket) }
        return NATS_OK
    }

    private static let changeWrite: natsEvLoop_WriteAddRemove = { data, adds in
        let session = own(data)
        session.wantsWrite.store(adds, ordering: .sequentiallyConsistent)
        // Under the library's lock: whoever posts writes when it is through.
        if adds, !session.isPosting.load(ordering: .sequentiallyConsistent) {
            session.askToWrite()
        }
        return NATS_OK
    }

    private static let detach: natsEvLoop_Detach = { data in
        if let handle = own(data).handle { switchyard_nats_detached(handle) }
        return NATS_OK
    }

    private static let hasClosed: natsConnectionHandler = { _, data in
        guard let data else { return }
        let session = Unmanaged<NATSSession>.fromOpaque(data).takeRetainedValue()
        session.connection.hasEnded(session)
    }

    private static let hasFailed: natsErrHandler = { _, _, status, data in
        own(data).connection.delegate.connectionHasTrouble("\(NATSError(status, "go on"))")
    }
}
#endif
