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
    // Unsafe: set once, before anybody but the connecting thread has this.
    nonisolated(unsafe) private(set) var handle: OpaquePointer?
    let connection: NATSConnection
    /// Whether there is something to write.
    let wantsWrite = Atomic<Bool>(false)
    /// Whether the thread was asked to, and has not begun.
    let isAsked = Atomic<Bool>(false)
    /// Whether a posting thread will see to what is to be written.
    let isPosting = Atomic<Bool>(false)
    let socket = Atomic<natsSock>(-1)
    /// Held by who has libnats read or write: it expects one thread to do both.
    let events = Guarded(())
    var unwritten = 0
    /// Whether the thread waits until it can write.
    var waitsToWrite = false
    var lastWrite: UInt64 = 0

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
}
#endif
