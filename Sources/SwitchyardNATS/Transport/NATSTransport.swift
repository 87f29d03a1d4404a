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
/// What is guaranteed is what NATS does: each notification arrives once at most, and those of one
/// process in the order of posting. While there is no connection, what is posted waits, up to
/// ``NATSOptions/bufferBytes``; what was under way when the connection broke may be lost. Receivers count
/// what does not arrive, and tell the center (`onLoss(_:)`).
///
/// A cluster passes on what servers know of their clients' subscriptions in its own time; that all know
/// of the observers here, `ready(within:)` finds out.
public final class NATSTransport: DistributedTransport, @unchecked Sendable {
    // Sendable: the constants are; the rest is locked or atomic.

    let options: NATSOptions
    let subjects: SubjectMap
    let id: UInt64
    /// This process, as others on the cluster see it.
    public let ownPeer: DistributedPeer
    let connection = Guarded<NATSConnection?>(nil)
    let outbox: Guarded<Outbox>
    let subscriptions = Guarded(Subscriptions())
    let peerTable: Guarded<PeerTable>
    let hasStopped = Atomic<Bool>(false)
    private let generation = switchyard_fork_generation()
    private let confirmations = Guarded(Confirmations())
    private let hasInterestChanges = Atomic<Bool>(false)
    private let intakePlace = Guarded<DistributedIntake?>(nil)
    let inbox: Guarded<Inbox>
    /// When the connection broke last.
    let brokeAt = Guarded<ContinuousClock.Instant?>(nil)
    /// The longest data that the last server took.
    let longestData = Atomic<Int64>(.max)
    let streams = Guarded(Streams())

    /// - Parameter options: how to reach the cluster.
    public init(_ options: NATSOptions) {
        self.options = options
        subjects = SubjectMap(domain: options.domain)
        id = UInt64.random(in: 0 ... .max)
        let process = ProcessInfo.processInfo
        ownPeer = DistributedPeer(
            id: HexDigits.text16(id), processIdentifier: process.processIdentifier,
            processName: process.processName)
        let source = PeerSource.text(ownPeer, host: PeerSource.ownHost)
        outbox = Guarded(Outbox(process: id, source: source))
        peerTable = Guarded(PeerTable(domain: options.domain, id: ownPeer.id))
        inbox = Guarded(Inbox())
    }

    var intake: DistributedIntake? { intakePlace.withLock { $0 } }

    /// Whether this is a child of the process that connected: the connection is the parent's, and the
    /// threads are not here.
    var isForked: Bool { switchyard_fork_generation() != generation }

    /// Connects.
    public func start(_ intake: DistributedIntake) throws {
        _ = intakePlace.exchange(intake)
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
    }

    /// Ends, after what waits was sent, or could not be for two seconds. What waits for a connection is
    /// lost.
    public func stop() {
        if hasStopped.exchange(true, ordering: .acquiringAndReleasing) || isForked { return }
        NATSExit.remove(self)
        guard let connection = connection.withLock({ $0 }) else { return }
        leavePeers()
        DispatchQueue.global().async { [self] in
            connection.close(within: 2_000)
            endStreams()
            let ended = subscriptions.withLock { $0.stop() }
            withExtendedLifetime(ended) {}
            _ = self.connection.exchange(nil)
            outbox.withLock { $0.stop() }
            _ = intakePlace.exchange(nil)
        }
    }

    /// The session with a server; nil while there is none.
    var session: NATSSession? { connection.withLock { $0 }?.session }

    // MARK: - What is observed

    /// Has the connection's thread subscribe to what is observed.
    public func interestChanged() {
        if hasInterestChanges.exchange(true, ordering: .acquiringAndReleasing) { return }
        connection.withLock { $0 }?.wake()
    }

    /// Subscribes to what is observed now. On any thread.
    func tellInterest() {
        hasInterestChanges.store(false, ordering: .sequentiallyConsistent)
        guard let intake else { return }
        // Not under a lock: the hook is the user's.
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

    /// Has the connection's thread know that the server has done all that it was told until now. If the
    /// session ends before it has, the next one is told everything anyway.
    private func confirm(
        _ session: NATSSession, _ note: @escaping @Sendable (inout Confirmations) -> Void
    ) {
        // The library blocks.
        DispatchQueue.global().async { [self] in
            _ = session.flush(within: 10_000)
            confirmations.withLock { note(&$0) }
            connection.withLock { $0 }?.wake()
        }
    }

    /// Leaves what the server needs not send to any more. On the connection's thread: it has taken all
    /// that came until now.
    func leaveConfirmed() {
        let confirmations = confirmations.withLock { $0 }
        let session = subscriptions.withLock { subscriptions -> NATSSession? in
            subscriptions.settle(asOf: confirmations.settled)
            return subscriptions.leave(asOf: confirmations.confirmed) ? subscriptions.session : nil
        }
        guard let session else { return }
        inbox.withLock { $0.senders.forgetPlaces() }
        confirm(session) { $0.settled = max($0.settled, confirmations.confirmed) }
    }

    /// The transport of a cluster of which one server is there; with the options' defaults.
    fileprivate convenience init(url: String, domain: String) {
        self.init(NATSOptions(servers: NATSOptions.servers(in: url), domain: domain))
    }
}

/// Which versions of the subscriptions the server is known to know.
private struct Confirmations: Sendable {
    /// It sends to those that are new.
    var confirmed = 0
    /// It sends nothing more to those that were left.
    var settled = 0
}

extension DistributedTransport where Self == NATSTransport {
    /// A NATS cluster.
    ///
    /// - Parameters:
    ///   - url: where servers of it are, as in `nats://127.0.0.1:4222`; several with commas.
    ///   - domain: only centers of one domain hear each other.
    public static func nats(_ url: String, domain: String = "default") -> NATSTransport {
        NATSTransport(url: url, domain: domain)
    }

    /// A NATS cluster.
    public static func nats(_ options: NATSOptions) -> NATSTransport { NATSTransport(options) }

    /// The NATS cluster that the environment names (``NATSOptions/environment(domain:_:)``).
    public static func nats(domain: String = "default") -> NATSTransport {
        NATSTransport(.environment(domain: domain))
    }
}
#endif
