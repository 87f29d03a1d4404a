// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// The way to a cluster: a session with one of its servers, another when that breaks, and a thread that
/// reads and, in bursts, writes.
final class NATSConnection: @unchecked Sendable {
    // Sendable: `lastTrouble` belongs to who connects, one after the other; the rest is constant, locked
    // or atomic.

    /// What a connection tells of.
    protocol Delegate: AnyObject, Sendable {
        /// There is a server, to be told what is observed, and sent what waited. On a thread that may be
        /// blocked. Nothing comes from it before this returns.
        func connectionBegins(_ session: NATSSession) throws
        /// The session is the one to use. The same thread.
        func connectionHasBegun(_ session: NATSSession, isFirst: Bool)
        func connectionBroke(_ session: NATSSession)
        /// The same, to be told the user.
        func connectionTellsBroke()
        func connectionHasTrouble(_ text: String)
        /// On the connection's thread: something may have come. Nothing is to be called but libnats.
        func connectionHasRead()
        /// On the connection's thread: what has come is to be delivered.
        func connectionDelivers()
        /// On the connection's thread: it was woken up.
        func connectionWasWoken()
    }

    /// Those of sessions are larger.
    private static let tokensBefore: UInt64 = 1

    let delegate: any Delegate
    private let options: NATSOptions
    private let poller: Poller
    private let hasStopped = Atomic<Bool>(false)
    /// Whether there was a session that was of use.
    private let hasBegun = Atomic<Bool>(false)

    private struct State: Sendable {
        var session: NATSSession?
        /// Tokens of sessions that ended before they were the one to use.
        var endedEarly: Set<UInt64> = []
        var lastToken = NATSConnection.tokensBefore
        /// Servers of which others have told.
        var discovered: [String] = []
        /// Sockets that are not polled any more, and to be closed by the thread.
        var endedSockets: [natsSock] = []
    }

    private let state = Guarded(State())
    private let threadEnded = DispatchSemaphore(value: 0)
    /// Ends a pause between tries.
    private let stopped = DispatchSemaphore(value: 0)
    private var lastTrouble = ""

    init(_ delegate: any Delegate, _ options: NATSOptions) throws {
        self.delegate = delegate
        self.options = options
        poller = try Poller()
    }

    /// The one to use; nil while there is no connection.
    var session: NATSSession? { state.withLock(\.session) }

    func wake() { poller.wake() }

    // MARK: - Beginning and ending

    /// Connects, and starts the thread.
    func start() throws {
        do {
            if try !begin() { connectAgain() }
        } catch {
            if !options.startsUnconnected { throw error }
            connectAgain()
        }
        let thread = Thread { [self] in
            ThreadName.current = "sw-nats"
            switchyard_block_signals()
            run()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Connects.
    ///
    /// - Returns: Whether it is of use: it may have broken again.
    private func begin() throws -> Bool {
        var options = options
        let token = state.withLock { state in
            options.servers += state.discovered.filter { !options.servers.contains($0) }
            state.lastToken += 1
            return state.lastToken
        }
        let session = try NATSSession.connect(options, token, for: self)
        guard try introduce(session) else { return false }
        let isFirst = !hasBegun.exchange(true, ordering: .acquiringAndReleasing)
        delegate.connectionHasBegun(session, isFirst: isFirst)
        wake()
        return true
    }

    private func introduce(_ session: NATSSession) throws -> Bool {
        do {
            try delegate.connectionBegins(session)
        } catch {
            session.close()
            throw error
        }
        // These are addresses, for which certificates are seldom made out.
        let discovered = options.usesTLS ? [] : session.discoveredServers
        let isPolled = session.startPolling(poller)
        let isOfUse = state.withLock { state in
            state.discovered = discovered
            if state.endedEarly.remove(session.token) != nil || !isPolled { return false }
            state.session = session
            return true
        }
        if !isOfUse { session.close() }
        return isOfUse
    }

    /// Sends what waits, for so long, and ends. Blocks.
    func close(within milliseconds: Int64) {
        let session = session
        _ = session?.flush(within: milliseconds)
        hasStopped.store(true, ordering: .sequentiallyConsistent)
        stopped.signal()
        wake()
        // It may be in a handler that does not return.
        _ = threadEnded.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
        self.session?.close()
        closeEnded()
    }

    /// The session has ended, by itself or not. On a thread of libnats.
    func hasEnded(_ session: NATSSession) {
        let wasUsed = state.withLock { state in
            guard state.session === session else {
                state.endedEarly.insert(session.token)
                return false
            }
            state.session = nil
            return true
        }
        if hasStopped.load(ordering: .sequentiallyConsistent) { return }
        guard wasUsed else { return }
        delegate.connectionBroke(session)
        connectAgain()
        delegate.connectionTellsBroke()
    }

    /// Not polled any more. On any thread.
    func forget(_ socket: natsSock) {
        poller.forget(socket)
        state.withLock { $0.endedSockets.append(socket) }
        wake()
    }

    // MARK: - Trying again

    /// Tries until there is a server, on a thread that may be blocked.
    private func connectAgain() {
        DispatchQueue.global().async { [self] in
            for tries in 0... {
                let pause = DispatchTimeInterval.milliseconds(Int(self.pause(before: tries)))
                _ = stopped.wait(timeout: .now() + pause)
                if hasStopped.load(ordering: .sequentiallyConsistent) { return }
                do {
                    if try begin() { return endIfStopped() }
                } catch {
                    // That there is no server was told when the connection broke.
                    if (error as? NATSError)?.isNoServer != true { tell("\(error)") }
                }
            }
        }
    }

    private func endIfStopped() {
        guard hasStopped.load(ordering: .sequentiallyConsistent) else { return }
        session?.close()
        closeEnded()
    }

    /// Says why it does not work, once for each reason.
    private func tell(_ trouble: String) {
        if trouble == lastTrouble { return }
        lastTrouble = trouble
        delegate.connectionHasTrouble(trouble)
    }

    /// A few milliseconds at first, then twice as long each time: a server that was restarted is back
    /// soon. Spread out, so that not all of a cluster's clients come at once.
    private func pause(before tries: Int) -> Int64 {
        let longest = options.longestReconnectPause.milliseconds
        let usual = min(longest, 8 << min(Int64(tries), 20))
        return Int64.random(in: usual / 2...usual)
    }

    // MARK: - The thread

    private func run() {
        switchyard_sleep_precisely()
        while !hasStopped.load(ordering: .sequentiallyConsistent) {
            var readable: UInt64?
            var isWoken = false
            poller.wait { token, isReadable in
                // Under TLS, to read when there is nothing waits until there is.
                if token <= Self.tokensBefore {
                    isWoken = true
                } else if isReadable {
                    readable = token
                }
            }
            closeEnded()
            if isWoken { delegate.connectionWasWoken() }
            guard let session else { continue }
            session.writeBurst(poller)
            if readable == session.token {
                session.read { delegate.connectionHasRead() }
                delegate.connectionDelivers()
            }
        }
        closeEnded()
        threadEnded.signal()
    }

    private func closeEnded() {
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
