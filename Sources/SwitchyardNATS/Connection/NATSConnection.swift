// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// A connection of libnats, with a thread of its own that reads, and that writes in bursts.
///
/// The library has its threads for that by default: one that reads, one that writes up to milliseconds
/// later, and one for each subscription. As an event loop it leaves both to this: a posting thread
/// writes itself as long as that is quick, and what comes is delivered by the thread that reads it.
final class NATSConnection: @unchecked Sendable {
    // Sendable: `handle` is set before the thread starts, and libnats locks what is behind it; `writes`
    // and `naps` belong to the thread; the rest is locked or atomic.

    /// What a connection tells of, on any thread.
    protocol Delegate: AnyObject, Sendable {
        /// On the connection's thread: something may have come.
        func connectionHasRead()
        /// The same, when it was woken up.
        func connectionWasWoken()
        func connectionBroke()
        func connectionIsBack()
        func connectionHasTrouble(_ text: String)
    }

    private static let socketToken: UInt64 = 2

    nonisolated(unsafe) private(set) var handle: OpaquePointer?
    private let delegate: any Delegate
    private let poller: Poller
    private let hasStopped = Atomic<Bool>(false)
    /// Whether there is something to write.
    private let wantsWrite = Atomic<Bool>(false)
    /// Whether the thread was asked to, and has not begun.
    private let isAsked = Atomic<Bool>(false)
    /// Whether a posting thread will see to what is to be written.
    private let isPosting = Atomic<Bool>(false)

    private struct Sockets: Sendable {
        var current: natsSock = -1
        /// Not polled any more, and to be closed by the thread.
        var ended: [natsSock] = []
    }

    private let sockets = Guarded(Sockets())
    /// Held by who writes.
    private let writing = Guarded(())
    /// So many bytes were published since they were written, about. Guard: as of who publishes.
    private var unwritten = 0
    /// Of the thread: whether it waits until it can write.
    private var waitsToWrite = false
    private var lastWrite: UInt64 = 0

    private let longestPause: Int64

    init(_ delegate: any Delegate, longestPause: Int64) throws {
        self.delegate = delegate
        self.longestPause = longestPause
        poller = try Poller()
    }

    deinit { if let handle { natsConnection_Destroy(handle) } }

    // MARK: - Beginning and ending

    /// Connects, and starts the thread. The connection is held by libnats until it is closed.
    func start(_ options: NATSOptions) throws {
        let library = try options.makeLibraryOptions()
        defer { natsOptions_Destroy(library) }
        let own = Unmanaged.passRetained(self)
        try connect(library, options, own)
        let thread = Thread { [self] in
            ThreadName.current = "sw-nats"
            switchyard_block_signals()
            run()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func connect(
        _ library: OpaquePointer, _ options: NATSOptions, _ own: Unmanaged<NATSConnection>
    ) throws {
        let pointer = own.toOpaque()
        do {
            try setCallbacks(library, pointer)
            if options.startsUnconnected {
                try NATSError.check(
                    natsOptions_SetRetryOnFailedConnect(library, true, Self.hasConnected, pointer),
                    "set reconnecting")
            }
        } catch {
            own.release()
            throw error
        }
        var made: OpaquePointer?
        let status = natsConnection_Connect(&made, library)
        guard status == NATS_OK || status == NATS_NOT_YET_CONNECTED, let made else {
            // The library tells nobody that a connection is closed which it never had.
            own.release()
            throw NATSError(
                status, "connect to \(options.servers.joined(separator: ", "))",
                advice: Self.advice(for: status))
        }
        handle = made
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
            natsOptions_SetDisconnectedCB(library, Self.hasDisconnected, pointer),
            natsOptions_SetReconnectedCB(library, Self.hasConnected, pointer),
            natsOptions_SetClosedCB(library, Self.hasClosed, pointer),
            natsOptions_SetErrorHandler(library, Self.hasFailed, pointer),
            natsOptions_SetCustomReconnectDelay(library, Self.pause, pointer),
        ]
        for status in statuses { try NATSError.check(status, "set what is called") }
    }

    /// Sends what waits, for so long, and ends. Blocks.
    func close(within milliseconds: Int64) {
        guard let handle else { return }
        natsConnection_FlushTimeout(handle, milliseconds)
        hasStopped.store(true, ordering: .releasing)
        natsConnection_Close(handle)
        poller.wake()
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
            writeNow()
            unwritten = 0
        }
        if wantsWrite.load(ordering: .sequentiallyConsistent) { askToWrite() }
    }

    /// Has the thread write, once for a burst.
    private func askToWrite() {
        if !isAsked.exchange(true, ordering: .sequentiallyConsistent) { poller.wake() }
    }

    private func writeNow() {
        writing.withLock { _ in
            // To write nothing looks to the library as if the server had gone.
            if wantsWrite.load(ordering: .sequentiallyConsistent) {
                natsConnection_ProcessWriteEvent(handle)
            }
        }
    }

    /// How many bytes were not written yet.
    var buffered: Int { max(0, Int(natsConnection_Buffered(handle))) }

    /// Writes until no more than `count` bytes wait, or the server has taken nothing for so long.
    ///
    /// - Returns: Whether no more wait.
    func write(untilAtMost count: Int, patience milliseconds: Int32) -> Bool {
        var waiting = buffered
        while waiting > count {
            let socket = sockets.withLock(\.current)
            var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if socket < 0 || poll(&entry, 1, milliseconds) <= 0 { return false }
            writeNow()
            let now = buffered
            if now >= waiting { return false }
            waiting = now
        }
        return true
    }

    func wake() { poller.wake() }

    // MARK: - The thread

    private func run() {
        switchyard_sleep_precisely()
        while !hasStopped.load(ordering: .acquiring) {
            var isReadable = false
            var isWoken = false
            poller.wait { token, _ in
                if token == Self.socketToken { isReadable = true } else { isWoken = true }
            }
            closeEnded()
            if isWoken { delegate.connectionWasWoken() }
            writeBurst()
            if isReadable {
                natsConnection_ProcessReadEvent(handle)
                delegate.connectionHasRead()
            }
        }
        closeEnded()
    }

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

    private func writeBurst() {
        let hasWork = wantsWrite.load(ordering: .sequentiallyConsistent)
        if hasWork, !waitsToWrite, switchyard_now() - lastWrite < Self.burst { waitForMore() }
        // From here on, who posts asks again. Also when a posting thread wrote meanwhile.
        isAsked.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) || waitsToWrite else { return }
        writeNow()
        lastWrite = switchyard_now()
        let waits = wantsWrite.load(ordering: .acquiring)
        if waits == waitsToWrite { return }
        waitsToWrite = waits
        let socket = sockets.withLock(\.current)
        if socket >= 0 {
            _ = poller.watch(socket, as: Self.socketToken, reads: true, writes: waits)
        }
    }

    private func closeEnded() {
        let ended = sockets.withLock { sockets in
            defer { sockets.ended = [] }
            return sockets.ended
        }
        for socket in ended {
            var socket = socket
            switchyard_nats_close_polled(&socket)
        }
    }

    // MARK: - What libnats calls, on its threads or this one's

    private static func own(_ pointer: UnsafeMutableRawPointer?) -> NATSConnection {
        guard let pointer else { preconditionFailure("libnats gives back what it was given") }
        return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let attach: natsEvLoop_Attach = { data, loop, _, socket in
        let connection = own(loop)
        data?.pointee = loop
        connection.sockets.withLock { $0.current = socket }
        connection.wantsWrite.store(false, ordering: .sequentiallyConsistent)
        let isWatched = connection.poller.watch(socket, as: socketToken, reads: true)
        return isWatched ? NATS_OK : NATS_SYS_ERROR
    }

    private static let changeRead: natsEvLoop_ReadAddRemove = { data, adds in
        let connection = own(data)
        if adds { return NATS_OK }
        connection.sockets.withLock { sockets in
            if sockets.current < 0 { return }
            connection.poller.forget(sockets.current)
            sockets.ended.append(sockets.current)
            sockets.current = -1
        }
        connection.wake()
        return NATS_OK
    }

    private static let changeWrite: natsEvLoop_WriteAddRemove = { data, adds in
        let connection = own(data)
        connection.wantsWrite.store(adds, ordering: .sequentiallyConsistent)
        // Under the library's lock: whoever posts writes when it is through.
        if adds, !connection.isPosting.load(ordering: .sequentiallyConsistent) {
            connection.askToWrite()
        }
        return NATS_OK
    }

    private static let detach: natsEvLoop_Detach = { data in
        if let handle = own(data).handle { switchyard_nats_detached(handle) }
        return NATS_OK
    }

    private static let hasDisconnected: natsConnectionHandler = { _, data in
        own(data).delegate.connectionBroke()
    }

    private static let hasConnected: natsConnectionHandler = { _, data in
        own(data).delegate.connectionIsBack()
    }

    private static let hasClosed: natsConnectionHandler = { _, data in
        guard let data else { return }
        Unmanaged<NATSConnection>.fromOpaque(data).release()
    }

    private static let hasFailed: natsErrHandler = { _, _, status, data in
        own(data).delegate.connectionHasTrouble("\(NATSError(status, "go on"))")
    }

    /// A few milliseconds at first, then twice as long each time: a server that was restarted is back
    /// soon. Spread out, so that not all of a cluster's clients come at once.
    private static let pause: natsCustomReconnectDelayHandler = { _, tries, data in
        let longest = own(data).longestPause
        let usual = min(longest, 8 << min(Int64(tries), 20))
        return Int64.random(in: usual / 2...usual)
    }
}
#endif
