// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// The connection to a cluster: a session with one of its servers, replaced by another when it
/// breaks, and a thread that reads and, in bursts, writes.
final class NATSConnection: NATSSession.Delegate, @unchecked Sendable {
    // Sendable: constant, locked or atomic.

    /// Receives the events of a connection.
    protocol Delegate: AnyObject, Sendable {
        /// Prepares a new session, and subscribes on it. Called on a thread that may block. Reading
        /// from the session begins after this returns.
        func willActivate(_ session: NATSSession) throws
        /// Sends what waited for a session: this one is in use from now on. Called on the same
        /// thread as `willActivate(_:)`.
        func didActivate(_ session: NATSSession, isFirst: Bool)
        /// The session in use has ended. Called on a thread of libnats.
        func didDisconnect(_ session: NATSSession)
        /// Reports the break to the user. Called after `didDisconnect(_:)`, when the attempts to
        /// connect have begun.
        ///
        /// - Parameter reason: the server's words; nil if it said nothing.
        func reportDisconnect(_ reason: String?)
        /// A session or an attempt to connect has failed.
        func didFail(_ text: String)
        /// A server refused something for which the account has no permission.
        func didRefuse(_ refusal: ServerRefusal)
        /// Takes the messages that have come. Called on the connection's thread. The delegate may
        /// call nothing but libnats.
        func didRead()
        /// Delivers the messages taken in `didRead()`. Called on the connection's thread.
        func deliver()
        /// Drops the messages taken in `didRead()`. Called on the connection's thread.
        func discard()
        /// The connection's thread was woken by `wake()`. Called on that thread.
        func wasWoken()
        /// Releases what belongs to a session that came into use while the connection was closed.
        func releaseSession()
    }

    /// The largest token that the poller uses for wake-ups; tokens of sessions are larger.
    private static let tokensBefore: UInt64 = 1

    let delegate: any Delegate
    let options: NATSOptions
    private let poller: Poller
    let hasStopped = Atomic<Bool>(false)
    /// Whether any session has been used so far.
    private let hasBegun = Atomic<Bool>(false)

    struct State: Sendable {
        var session: NATSSession?
        /// The largest token of a session that ended before it came into use. One session at a
        /// time comes into use.
        var lastEndedEarly: UInt64 = 0
        var lastToken = NATSConnection.tokensBefore
        /// Servers of the cluster that other servers have named.
        var discovered: [String] = []
        /// Sockets that are no longer polled; the connection's thread closes them.
        var endedSockets: [natsSock] = []
        var pauses = ReconnectPauses()
    }

    let state = Guarded(State())
    // Time limits of dispatch semaphores follow the wall clock on Linux, so they are not used here.
    private let threadEnded = ThreadSignal()
    /// A signal that the session in use has ended since ``close(within:)`` was called.
    private let sessionEnded = ThreadSignal()
    /// A signal that ends a pause between attempts to connect.
    let stopped = ThreadSignal()
    /// The connection's thread; 0 until it runs.
    private let thread = Atomic<UInt>(0)
    /// The reason that was last reported for a connection that failed; empty once one has
    /// succeeded.
    let lastFailure = Guarded("")

    init(_ delegate: any Delegate, _ options: NATSOptions) throws {
        self.delegate = delegate
        self.options = options
        poller = try Poller()
    }

    /// The session in use; nil while there is no connection.
    var session: NATSSession? { state.withLock(\.session) }

    func wake() { poller.wake() }

    // MARK: - Beginning and ending

    /// Connects, and starts the thread that reads.
    func start() throws {
        do {
            if try !begin() { connectAgain() }
        } catch {
            if !options.startsUnconnected { throw error }
            connectAgain()
        }
        do {
            try BlockingThread.start("sw-nats") { [self] in run() }
        } catch {
            hasStopped.store(true, ordering: .sequentiallyConsistent)
            stopped.raise()
            session?.close()
            closeEnded()
            throw error
        }
    }

    /// Opens a session and brings it into use.
    ///
    /// - Returns: Whether the session is in use; false if it has broken already.
    func begin() throws -> Bool {
        var options = options
        let token = state.withLock { state in
            options.servers += state.discovered.filter { !options.servers.contains($0) }
            state.lastToken += 1
            return state.lastToken
        }
        let session = try NATSSession.connect(options, token, poller, self)
        guard try introduce(session) else { return false }
        // The thread may have woken for the subscriptions before it had the session, and nothing
        // else writes them before an answer to something behind them is awaited.
        wake()
        let isFirst = !hasBegun.exchange(true, ordering: .acquiringAndReleasing)
        delegate.didActivate(session, isFirst: isFirst)
        wake()
        return true
    }

    private func introduce(_ session: NATSSession) throws -> Bool {
        do {
            try delegate.willActivate(session)
        } catch {
            session.close()
            throw error
        }
        // The discovered addresses are IP addresses, which certificates seldom name.
        let discovered = options.usesTLS ? [] : session.discoveredServers
        let isPolled = session.startPolling()
        let isUsable = state.withLock { state in
            state.discovered = discovered
            if state.lastEndedEarly >= session.token || !isPolled { return false }
            state.session = session
            state.pauses.begin(at: .now)
            return true
        }
        if !isUsable {
            if let reason = session.endReason { reportEarlyEnd(reason) }
            session.close()
        }
        return isUsable
    }

    /// Sends the waiting posts, for at most `milliseconds`, and closes the connection. Blocks until
    /// libnats has told the delegate of everything that the server refused, for at most as long.
    func close(within milliseconds: Int64) {
        let session = session
        _ = session?.flush(within: milliseconds)
        hasStopped.store(true, ordering: .sequentiallyConsistent)
        stopped.raise()
        wake()
        // The thread may be in a handler that does not return, hence the time limit.
        _ = threadEnded.wait(until: .now + .milliseconds(milliseconds))
        if let session = self.session {
            session.close()
            // libnats calls all callbacks on one thread, in their order: this one is the last.
            _ = sessionEnded.wait(until: .now + .milliseconds(milliseconds))
        }
        closeEnded()
    }

    // MARK: - Events of sessions

    /// Replaces a session that has ended, on purpose or not.
    func didEnd(_ session: NATSSession) {
        let wasUsed = state.withLock { state in
            guard state.session === session else {
                state.lastEndedEarly = max(state.lastEndedEarly, session.token)
                return false
            }
            state.session = nil
            state.pauses.end(at: .now)
            return true
        }
        guard wasUsed else { return }
        if hasStopped.load(ordering: .sequentiallyConsistent) { return sessionEnded.raise() }
        delegate.didDisconnect(session)
        connectAgain()
        delegate.reportDisconnect(session.endReason)
    }

    /// Stops polling a socket, and has the connection's thread close it. Callable on any thread.
    func didRelease(_ socket: natsSock) {
        poller.forget(socket)
        state.withLock { $0.endedSockets.append(socket) }
        wake()
    }

    func didRefuse(_ refusal: ServerRefusal) { delegate.didRefuse(refusal) }

    func didFail(_ text: String) { delegate.didFail(text) }

    // MARK: - The thread

    private func run() {
        switchyard_sleep_precisely()
        thread.store(pthread_self(), ordering: .relaxed)
        while !hasStopped.load(ordering: .sequentiallyConsistent) {
            let (isWoken, readable) = waitForEvents(milliseconds: session?.writePause ?? -1)
            closeEnded()
            if isWoken { delegate.wasWoken() }
            guard let session else { continue }
            session.writeBurst()
            if readable == session.token {
                session.read { delegate.didRead() }
                delegate.deliver()
            }
        }
        closeEnded()
        // Another thread may get the same address.
        thread.store(0, ordering: .relaxed)
        threadEnded.raise()
    }

    /// - Returns: Whether the thread was woken by `wake()`, and the token of the session from whose
    ///   socket it can read.
    private func waitForEvents(milliseconds: Int32) -> (isWoken: Bool, readable: UInt64?) {
        var readable: UInt64?
        var isWoken = false
        poller.wait(milliseconds: milliseconds) { token, isReadable in
            // Reads only when the poller says so: under TLS, a read with nothing to read blocks
            // until data come.
            if token <= Self.tokensBefore {
                isWoken = true
            } else if isReadable {
                readable = token
            }
        }
        return (isWoken, readable)
    }

    /// Reads and writes on the connection's thread, in a handler that never returns because it has
    /// called `exit`. Delivers nothing.
    ///
    /// - Returns: False on any other thread, and once the connection closes, at once.
    func serve(milliseconds: Int32) -> Bool {
        guard thread.load(ordering: .relaxed) == pthread_self() else { return false }
        if hasStopped.load(ordering: .sequentiallyConsistent) {
            // From here on, the thread that closes the session may do so.
            threadEnded.raise()
            return false
        }
        let (_, readable) = waitForEvents(milliseconds: milliseconds)
        guard let session else { return true }
        session.writeBurst()
        if readable == session.token {
            session.read { delegate.didRead() }
            delegate.discard()
        }
        return true
    }

    func closeEnded() {
        let ended = state.withLock { state in
            defer { state.endedSockets = [] }
            return state.endedSockets
        }
        for socket in ended {
            var socket = socket
            switchyard_nats_close_polled(&socket)
        }
    }
}
#endif
