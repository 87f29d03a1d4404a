// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// A libnats connection to one server, until it breaks. It runs in this process's event loop: the
/// posting thread writes posts as long as that is quick, and the connection's thread reads.
/// libnats's own threads would write up to milliseconds later, and would hand each message from one
/// thread to the next.
///
/// A session does not reconnect. In an event loop, libnats keeps the part of a message that it has
/// read, and takes the beginning of the next connection for the rest of the message ([nats.c
/// 1007](https://github.com/nats-io/nats.c/issues/1007)). So each connection to a server is a new
/// session.
final class NATSSession: @unchecked Sendable {
    // Sendable: `handle` is set before any thread but the connecting one has the session, and
    // libnats locks what it points to; `unwritten` is guarded by the lock of the publishing thread
    // (see `willPublish()`); `waitsToWrite`, `writePause` and `lastWrite` belong to the connection's thread; the
    // rest is locked or atomic.

    /// Receives the events of a session, on a thread of libnats or on one that calls libnats.
    protocol Delegate: AnyObject, Sendable {
        /// The session has ended, on purpose or not.
        func didEnd(_ session: NATSSession)
        /// Has a socket closed that libnats no longer uses.
        func didRelease(_ socket: natsSock)
        /// The server refused something for which the account has no permission.
        func didRefuse(_ refusal: ServerRefusal)
        /// libnats reports an error.
        func didFail(_ text: String)
    }

    /// The poller's token for the session's socket.
    let token: UInt64
    // Unsafe: set once, before any thread but the connecting one has the session.
    nonisolated(unsafe) private(set) var handle: OpaquePointer?
    /// Other servers of the cluster that this server has named.
    // Unsafe: set once, before any thread but the connecting one has the session.
    nonisolated(unsafe) private(set) var discoveredServers: [String] = []
    let poller: Poller
    let delegate: any Delegate
    /// Whether the connection may be encrypted.
    // Unsafe: set before any thread but the connecting one has the session.
    nonisolated(unsafe) private(set) var isEncrypted = false
    /// Whether libnats has data to write.
    let wantsWrite = Atomic<Bool>(false)
    /// Whether the connection's thread was asked to write, and has not begun.
    let isAsked = Atomic<Bool>(false)
    /// Whether a posting thread is publishing, and will write the data or ask for it.
    let isPosting = Atomic<Bool>(false)
    let socket = Atomic<natsSock>(-1)
    /// Held while libnats reads or writes: it expects one thread to do both.
    let events = Guarded(())
    /// The subscriptions that have ended, and are freed before the next read.
    private let ended = Guarded(EndedSubscriptions())
    var unwritten = 0
    /// Whether the connection's thread waits until the socket can be written to.
    var waitsToWrite = false
    /// The milliseconds after which the connection's thread tries a write again that might have
    /// blocked; nil if there is none.
    var writePause: Int32?
    var lastWrite: UInt64 = 0

    private init(_ token: UInt64, _ poller: Poller, _ delegate: any Delegate) {
        self.token = token
        self.poller = poller
        self.delegate = delegate
    }

    deinit {
        ended.withLock { $0.free() }
        if let handle { natsConnection_Destroy(handle) }
    }

    // MARK: - Beginning and ending

    /// Connects to one of the servers, in random order. Blocks until a server has answered, or each
    /// has had its time (``NATSOptions/connectTimeout``).
    ///
    /// libnats holds the session until the session is closed, and no longer polled.
    ///
    /// - Parameters:
    ///   - token: the poller's token for the session's socket.
    ///   - poller: the poller of the connection's thread.
    static func connect(
        _ options: NATSOptions, _ token: UInt64, _ poller: Poller, _ delegate: any Delegate
    ) throws -> NATSSession {
        var failure: NATSError?
        for endpoint in try options.endpoints().shuffled() {
            let session = NATSSession(token, poller, delegate)
            do {
                try session.connectAndSign(endpoint, options)
                return session
            } catch let error as NATSError {
                // A server that is there says more than one that is not.
                if failure?.isNoServer != false { failure = error }
            }
        }
        throw failure ?? NATSError("no server is given")
    }

    /// Connects, once more if the server misses a signature.
    ///
    /// To prove its credentials, libnats signs a random text of the server. Versions before 3.8
    /// leave a signature out whose first byte is zero: one of 256.
    private func connectAndSign(_ endpoint: ServerEndpoint, _ options: NATSOptions) throws {
        do {
            try connect(endpoint, options)
        } catch let error as NATSError
            where error.code == .wrongCredentials && options.credentials?.areSigned == true
        {
            try connect(endpoint, options)
        }
    }

    private func connect(_ endpoint: ServerEndpoint, _ options: NATSOptions) throws {
        // First, because malformed options are an error whether the server is there or not.
        let library = try options.makeLibraryOptions(for: endpoint.host)
        defer { natsOptions_Destroy(library) }
        let end = ContinuousClock.now + options.connectTimeout.withinACentury
        let server: ServerSocket
        do {
            server = try ServerSocket(endpoint, until: end)
        } catch let error as NATSError {
            throw Self.failure(error, options)
        }
        isEncrypted = options.usesTLS || server.demandsTLS
        if server.demandsTLS { try options.expect(endpoint.host, library) }
        let credentials = endpoint.credentials.map { $0 + "@" } ?? ""
        var triesLeft = 3
        while true {
            let handover = try ServerHandover(server.socket, until: end)
            do {
                let address = "nats://" + credentials + handover.address
                try connect(handover, address, library, options)
                break
            } catch {
                // libnats's read was under way; see `ServerHandover.handOver()`.
                triesLeft -= 1
                if triesLeft == 0 || !server.isUnread { throw error }
            }
        }
        discoveredServers = server.otherServers.filter { $0 != "nats://" + endpoint.hostAndPort }
    }

    /// Makes libnats go on with a connection.
    private func connect(
        _ handover: ServerHandover, _ address: String, _ library: OpaquePointer,
        _ options: NATSOptions
    ) throws {
        var didExpire = false
        let own = Unmanaged.passRetained(self)
        do {
            defer { didExpire = handover.finish() }
            try NATSError.check(
                natsOptions_SetURL(library, address), "understand \(options.serverNames)")
            try setCallbacks(library, own.toOpaque())
            let status = natsConnection_Connect(&handle, library)
            guard status == NATS_OK, handle != nil else {
                throw NATSError(
                    status, "connect to \(options.serverNames)", advice: Self.advice(for: status)
                ).changed(options.withoutSecrets)
            }
        } catch {
            // libnats calls no closed callback for a connection that was never made.
            own.release()
            guard didExpire else { throw error }
            throw Self.failure(
                NATSError("it begins to answer, and does not go on", code: .noAnswer), options)
        }
    }

    /// Returns an error of a server with a name and advice.
    private static func failure(_ error: NATSError, _ options: NATSOptions) -> NATSError {
        let isMissing = error.isNoServer
        let advice =
            isMissing
            ? advice(for: NATS_NO_SERVER)
            : "; it had \(options.connectTimeout): look whether it is stopped, or is "
                + "no NATS server"
        let what = isMissing ? "no server is there" : "the server is silent"
        return error.changed {
            "could not connect to \(options.serverNames): \(what): \($0)" + advice
        }
    }

    private static func advice(for status: natsStatus) -> String {
        switch status {
        case NATS_NO_SERVER:
            "; start one there (nats-server); a program that is to wait for it sets startsUnconnected"
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            "; check the credentials"
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED:
            "; check the options for TLS"
        default: ""
        }
    }

    /// Whether the session is connected.
    var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Whether the server has refused something for which the account has no permission.
    var wasRefused: Bool {
        var text: UnsafePointer<CChar>?
        return natsConnection_GetLastError(handle, &text) == NATS_NOT_PERMITTED
    }

    /// The reason for which the server has ended the session, in its words; nil if it gave none.
    var endReason: String? {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(handle, &text)
        // Not a stale connection: libnats gives one up by itself when the server is silent.
        let isServers = status == NATS_ERR || status == NATS_CONNECTION_AUTH_FAILED
        return isServers ? text.map { String(cString: $0) } : nil
    }

    /// Waits until the server has processed everything sent so far. Blocks.
    ///
    /// - Returns: Whether the server has done so in time.
    func flush(within milliseconds: Int64) -> Bool {
        natsConnection_FlushTimeout(handle, milliseconds) == NATS_OK
    }

    /// Closes the session. Must not be called while the connection's thread reads from it.
    func close() { natsConnection_Close(handle) }

    // MARK: - Reading

    /// Begins to poll the session's socket. Returns whether that worked, or the socket is closed
    /// already.
    func startPolling() -> Bool {
        let socket = socket.load(ordering: .acquiring)
        return socket < 0 || poller.watch(socket, as: token, reads: true)
    }

    /// Reads the bytes that have come, and calls `take` under the same lock: when a connection
    /// breaks, messages that were read and not taken are lost.
    func read(_ take: () -> Void) {
        events.withLock { _ in
            ended.withLock { $0.free() }
            natsConnection_ProcessReadEvent(handle)
            take()
        }
    }

    /// Ends a subscription of this session, and frees it before the next read.
    ///
    /// libnats (3.4.1) looks up the subscription of a message that it reads, and uses it without a
    /// reference of its own: if another thread freed it just then, the process would crash.
    func end(_ subscription: OpaquePointer) {
        natsSubscription_Unsubscribe(subscription)
        ended.withLock { $0.add(subscription) }
    }
}

/// libnats's objects of subscriptions that nobody uses any more, except a read that is under way.
private struct EndedSubscriptions: @unchecked Sendable {
    // Sendable: libnats locks the objects behind the pointers.
    private var handles: [OpaquePointer] = []

    mutating func add(_ handle: OpaquePointer) { handles.append(handle) }

    /// Frees them. Call it while nothing reads.
    mutating func free() {
        for handle in handles { natsSubscription_Destroy(handle) }
        handles.removeAll()
    }
}
#endif
