// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
public import SwitchyardDistributed
internal import Synchronization

/// Carries a center's notifications over a NATS cluster.
///
/// ```swift
/// let center = try DistributedNotificationCenter(transport: .nats("nats://127.0.0.1:4222"))
/// ```
/// The guarantees are those of NATS: each notification arrives at most once, and the notifications
/// of one process arrive in the order of posting. While there is no connection, posts wait, up to
/// ``NATSOptions/bufferBytes`` bytes; posts that were under way when the connection broke may be
/// lost. Receivers count the notifications that do not arrive, and report them to the center
/// (`onLoss(_:)`); if their sender does not come back after a break, as a loss of unknown size.
///
/// Servers of a cluster tell each other about their clients' subscriptions with some delay.
/// `waitUntilReady(within:)` waits until all of them know the observers here.
public final class NATSTransport: DistributedTransport, @unchecked Sendable {
    // Sendable: `let` constants, and state that is locked or atomic.

    let options: NATSOptions
    let subjects: SubjectMap
    let id: UInt64
    /// This process, as others in the cluster see it.
    public let ownPeer: DistributedPeer
    let connection = Guarded<NATSConnection?>(nil)
    let publishQueue: Guarded<PublishQueue>
    let subscriptions = Guarded(Subscriptions())
    let peerTable: Guarded<PeerTable>
    let hasStopped = Atomic<Bool>(false)
    /// The thread that ends the transport; 0 until it runs.
    let stoppingThread = Atomic<UInt>(0)
    /// Whether the connection's thread runs.
    let hasStarted = Atomic<Bool>(false)
    private let generation = switchyard_fork_generation()
    private let confirmations = Guarded(Confirmations())
    private let hasInterestChanges = Atomic<Bool>(false)
    private let currentIntake = Guarded<DistributedIntake?>(nil)
    let receiveState: Guarded<ReceiveState>
    /// The time at which the connection last broke.
    let brokeAt = Guarded<ContinuousClock.Instant?>(nil)
    /// The longest data that the last server allowed, in bytes.
    let longestData = Atomic<Int64>(.max)
    let durables = Guarded(DurableObservers())
    let refusals = Guarded(ServerRefusals())
    let jetStream: JetStreamAPI
    let streamAcks = Guarded(StreamAcks())

    /// - Parameter options: the options for the connection to the cluster.
    public init(_ options: NATSOptions) {
        var options = options
        options.tidyServers()
        self.options = options
        subjects = SubjectMap(domain: options.domain)
        id = UInt64.random(in: 0 ... .max)
        let process = ProcessInfo.processInfo
        ownPeer = DistributedPeer(
            id: HexDigits.text16(id), processIdentifier: process.processIdentifier,
            processName: process.processName)
        let source = PeerSource.text(ownPeer, host: PeerSource.ownHost)
        publishQueue = Guarded(PublishQueue(process: id, source: source))
        peerTable = Guarded(PeerTable(domain: options.domain, id: ownPeer.id))
        receiveState = Guarded(ReceiveState())
        jetStream = JetStreamAPI(domain: options.domain, id: ownPeer.id)
    }

    var intake: DistributedIntake? { currentIntake.withLock { $0 } }

    /// Whether this process is a forked child of the one that connected. The connection belongs to
    /// the parent, and the transport's threads do not exist in the child.
    var isForked: Bool { switchyard_fork_generation() != generation }

    /// Connects to the cluster.
    public func start(_ intake: DistributedIntake) throws {
        try options.checkDomain()
        try options.checkServers()
        _ = currentIntake.exchange(intake)
        let connection = try NATSConnection(self, options)
        _ = self.connection.exchange(connection)
        do {
            try connection.start()
        } catch {
            stop()
            throw error
        }
        NATSExit.add(self)
        connection.wake()
        hasStarted.store(true, ordering: .sequentiallyConsistent)
        // From here on, the first posts are acknowledged as well.
        if let session { findStream(session) }
    }

    /// Ends the transport on a thread of its own. First sends waiting posts and waits for the stream's
    /// acknowledgements, for at most two seconds each. Reports as lost the posts that are not acknowledged by
    /// then, and posts that wait for a connection. A process that exits meanwhile waits for that, for at most
    /// five seconds.
    public func stop() {
        if hasStopped.exchange(true, ordering: .acquiringAndReleasing) || isForked { return }
        guard let connection = connection.withLock({ $0 }) else { return }
        leavePeers()
        BlockingThread.run("sw-nats-stop") { [self] in
            stoppingThread.store(pthread_self(), ordering: .sequentiallyConsistent)
            let session = session
            let isThrough = session?.flush(within: 2_000) == true
            // Reports refusals of the last posts while there is still an intake to report them to.
            if let session, isThrough { settleRefusals(session) }
            reportRefusedPosts()
            leaveStream(by: isThrough ? .now + .seconds(2) : .now)
            endDurables()
            connection.close(within: 2_000)
            // Code with an open request holds this transport until it gets an answer.
            jetStream.endRequests()
            let ended = subscriptions.withLock { $0.stop() }
            withExtendedLifetime(ended) {}
            _ = self.connection.exchange(nil)
            publishQueue.withLock { $0.stop() }
            _ = currentIntake.exchange(nil)
            // Last, because a process that exits waits for this.
            NATSExit.remove(self)
        }
    }

    /// The session with a server; nil while there is none.
    var session: NATSSession? { connection.withLock { $0 }?.session }

    /// Whether there is a connection to a server now. A connection whose server is silent counts as one
    /// until it is given up, after a minute. False in a forked child.
    public var isConnected: Bool { !isForked && session?.isConnected == true }

    // MARK: - Subscriptions

    /// Makes the connection's thread update the subscriptions.
    public func interestChanged() {
        if hasInterestChanges.exchange(true, ordering: .acquiringAndReleasing) { return }
        connection.withLock { $0 }?.wake()
    }

    /// Subscribes to the present interests. Callable on any thread.
    func updateSubscriptions() {
        hasInterestChanges.store(false, ordering: .sequentiallyConsistent)
        guard let intake else { return }
        // Called without a lock, because the hook is the user's code.
        intake.reportUnheard()
        do {
            let left = try subscriptions.withLock { subscriptions -> (Int, NATSSession)? in
                let changes = intake.takeToldChanges()
                if changes.isEmpty { return nil }
                let isLeaving = try subscriptions.change(changes, subjects)
                guard isLeaving, let session = subscriptions.session else { return nil }
                return (subscriptions.version, session)
            }
            if let (version, session) = left {
                confirm(session) { $0.confirmed = max($0.confirmed, version) }
            }
        } catch {
            intake.report(problem: "\(error)")
        }
    }

    /// Waits on another thread until the server has processed everything sent so far, then calls
    /// `note` and wakes the connection's thread. If the session ends before, the next one begins
    /// with all subscriptions anyway.
    private func confirm(
        _ session: NATSSession, _ note: @escaping @Sendable (inout Confirmations) -> Void
    ) {
        BlockingThread.run("sw-nats-confirm") { [self] in
            _ = session.flush(within: 10_000)
            confirmations.withLock { note(&$0) }
            connection.withLock { $0 }?.wake()
        }
    }

    /// Ends subscriptions that the server no longer needs. On the connection's thread, which has
    /// taken all messages that came until now.
    func leaveConfirmed() {
        let confirmations = confirmations.withLock { $0 }
        let session = subscriptions.withLock { subscriptions -> NATSSession? in
            subscriptions.settle(asOf: confirmations.settled)
            return subscriptions.leave(asOf: confirmations.confirmed) ? subscriptions.session : nil
        }
        guard let session else { return }
        receiveState.withLock { $0.senders.forgetSequences() }
        confirm(session) { $0.settled = max($0.settled, confirmations.confirmed) }
    }

    /// Creates the transport of a cluster from a URL, with default options.
    fileprivate convenience init(url: String, domain: String) {
        self.init(NATSOptions(servers: NATSOptions.servers(in: url), domain: domain))
    }
}

/// The versions of the subscriptions that the server has confirmed.
private struct Confirmations: Sendable {
    /// The last version whose new subscriptions the server has confirmed.
    var confirmed = 0
    /// The last version of which the server has confirmed that it sends nothing more to ended
    /// subscriptions.
    var settled = 0
}

extension DistributedTransport where Self == NATSTransport {
    /// Returns a transport for a NATS cluster.
    ///
    /// - Parameters:
    ///   - url: the address of a server, as in `nats://127.0.0.1:4222`; several separated by
    ///     commas.
    ///   - domain: the domain; only centers of one domain hear each other.
    public static func nats(_ url: String, domain: String = "default") -> NATSTransport {
        NATSTransport(url: url, domain: domain)
    }

    /// Returns a transport for a NATS cluster.
    public static func nats(_ options: NATSOptions) -> NATSTransport { NATSTransport(options) }

    /// Returns a transport for the NATS cluster named by the environment
    /// (``NATSOptions/environment(domain:_:)``).
    public static func nats(domain: String = "default") -> NATSTransport {
        NATSTransport(.environment(domain: domain))
    }
}
#endif
