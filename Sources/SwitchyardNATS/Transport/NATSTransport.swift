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
    /// The processes that have come or gone, of which the center has not been told.
    let peerNews = Guarded(WaitingPeerNews())
    let peerTable: Guarded<PeerTable>
    let hasStopped = Atomic<Bool>(false)
    /// Whether durable observers have ended for good, before the rest of the transport.
    let durablesHaveEnded = Atomic<Bool>(false)
    /// Whether a post has been dropped because the center had left.
    let hasDropped = Atomic<Bool>(false)
    /// The thread that ends the transport; 0 until it runs.
    let stoppingThread = Atomic<UInt>(0)
    /// Whether the connection's thread runs.
    let hasStarted = Atomic<Bool>(false)
    private let generation = switchyard_fork_generation()
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

    /// Ends the transport on a thread of its own. First sends waiting posts and waits for the
    /// stream's acknowledgements, for at most two seconds each. Reports as lost the posts that are
    /// not acknowledged by then, and posts that wait for a connection. A process that exits
    /// meanwhile waits for that, for at most five seconds.
    public func stop() { close(flushing: true) }

    /// Ends the transport like ``stop()``.
    ///
    /// - Parameter flushing: if not, and there is no connection, posts that wait for one, and those
    ///   that the stream has not acknowledged, are given up at once.
    /// - Returns: The losses of these posts. Other losses are reported later.
    @discardableResult
    public func close(flushing: Bool) -> [DistributedLoss] {
        if hasStopped.exchange(true, ordering: .sequentiallyConsistent) || isForked { return [] }
        guard let connection = connection.withLock({ $0 }) else { return [] }
        // First: their handlers' last answers are sent with the last posts, and the answers to their
        // copies of refused notifications come only as long as there are questions.
        endDurables()
        endQuestions()
        let losses = flushing || session != nil ? [] : giveUpUnconnected()
        leave(connection)
        return losses
    }

    /// Ends the transport, on a thread of its own.
    private func leave(_ connection: NATSConnection) {
        BlockingThread.run("sw-nats-stop") { [self] in
            stoppingThread.store(pthread_self(), ordering: .sequentiallyConsistent)
            let isThrough = sendLastPosts(by: .now + .seconds(2))
            leaveStream(isThrough: isThrough, within: .seconds(2))
            connection.close(within: 2_000)
            // The refusals of the last posts.
            reportRefusedPosts()
            // Code with an open request holds this transport until it gets an answer.
            jetStream.endRequests()
            _ = self.connection.exchange(nil)
            releaseSession()
            _ = currentIntake.exchange(nil)
            // Last, because a process that exits waits for this.
            NATSExit.remove(self)
        }
    }

    /// Releases everything that belongs to a session, because the transport uses none any more.
    func releaseSession() {
        let ended = subscriptions.withLock { $0.stop() }
        withExtendedLifetime(ended) {}
        let ofPeers = peerTable.withLock { table in
            defer { table.subscriptions = [] }
            return table.subscriptions
        }
        withExtendedLifetime(ofPeers) {}
        endAcks()
        publishQueue.withLock { $0.stop() }
    }

    /// The session with a server; nil while there is none.
    var session: NATSSession? { connection.withLock { $0 }?.session }

    /// Whether there is a connection to a server now. A connection whose server is silent counts as
    /// one until it is given up, after a minute. False in a forked child.
    public var isConnected: Bool { !isForked && session?.isConnected == true }

    /// True: the time of a post that is kept is a header of its message.
    public var sharesLatestValues: Bool { true }

    /// True: processes announce the requests that they answer.
    public var carriesRequests: Bool { true }

    /// True: processes announce their groups.
    public var sharesGroups: Bool { true }

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
        let (needsPasses, mustAnnounce, failure) = subscriptions.withLock { subscriptions in
            let changes = intake.takeToldChanges()
            var failure: (any Error)?
            if !changes.isEmpty {
                do {
                    try subscriptions.change(changes, subjects)
                } catch {
                    failure = error
                }
            }
            return (
                !changes.isEmpty && subscriptions.ending.needsPasses(),
                changes.contains(where: \.interest.isAnnounced), failure
            )
        }
        // Before a subscription ends: one who asks meanwhile is told that nobody answers any more.
        if mustAnnounce { announceAnswers() }
        intake.forgetUnheardValues()
        if needsPasses { BlockingThread.run("sw-nats-confirm") { self.makePasses() } }
        if let failure { intake.report(problem: "\(failure)") }
    }

    /// Waits for the server until it sends nothing more to subscriptions that are no longer needed,
    /// and has the connection's thread end them. If the session ends before, the next one begins
    /// with the needed ones only.
    private func makePasses() {
        while let (pass, session) = subscriptions.withLock({ $0.beginPass() }) {
            let knowsReplacements = session.flush(within: 10_000)
            usleep(Self.moment)
            if knowsReplacements, session.flush(within: 10_000) {
                subscriptions.withLock { $0.ending.end(pass) }
                connection.withLock { $0 }?.wake()
            }
        }
    }

    /// The time, in microseconds, in which a server on a busy machine sends a message that it has
    /// begun to send.
    private static var moment: UInt32 { 200_000 }

    /// Ends the subscriptions to which the server sends nothing more. On the connection's thread,
    /// which has taken all messages that came until now.
    func endUnneededSubscriptions() {
        let ended = subscriptions.withLock { subscriptions in
            let ended = subscriptions.removeConfirmed()
            if !ended.isEmpty {
                let subscribed = subscriptions.subscribed
                receiveState.withLock { $0.senders.forgetSequences { !subscribed.include($0) } }
            }
            return ended
        }
        // Destroyed without the lock.
        withExtendedLifetime(ended) {}
    }

    /// Creates the transport of a cluster from a URL, with default options.
    fileprivate convenience init(url: String, domain: String) {
        self.init(NATSOptions(servers: NATSOptions.servers(in: url), domain: domain))
    }
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
