// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

/// The processes of one user in the same domain, each connected to each, without a broker.
///
/// A member listens on a socket that the others find. It connects to every member that it finds,
/// and every member that it greets connects back. A member posts on the connections that it made;
/// the other end says there what it wants to hear, and hears it. Two members know of each other
/// only through these two connections, and forget each other when they end.
///
/// Posting threads write as long as that is quick (``WritePace``). After that, one thread writes
/// for all; it starts with the first such burst. Another thread reads all connections. Neither
/// thread wakes up while nothing comes or goes on the connections and nobody removes this member's
/// socket.
final class Mesh: DirectSender, DistributedTransport, @unchecked Sendable {
    // Sendable: the constants are Sendable, `state` is locked, and the rest belongs to the reading
    // thread.

    static let listenerToken: UInt64 = 1
    static let addressToken: UInt64 = 2

    let network: any MeshNetwork
    let limits: DistributedLimits
    /// The time that a leaving member waits for a peer that takes nothing.
    let patience: Duration
    let greeting: Greeting
    let ownPeer: DistributedPeer
    let state = Guarded(MeshState())
    /// The system's information on peers that have not introduced themselves, by id. Kept, because
    /// asking the system takes long. Locked under no other lock.
    let introductions = Guarded<[String: Introduction]>([:])
    let poller: Poller
    let writer: MeshWriter
    let generation = switchyard_fork_generation()
    private let hasInterestChanges = Atomic<Bool>(false)
    let hasStopped = Atomic<Bool>(false)
    /// The thread that stops this member; zero before.
    private let endingThread = Atomic<UInt>(0)
    /// Raised when the member has stopped, and has reported what it gave up.
    private let ended = ThreadSignal()
    /// The reading thread; zero before there is one.
    let readingThread = Atomic<UInt>(0)

    /// Whether the reading thread is to check whether others still find this member.
    let mayBeAbsent = Atomic<Bool>(false)

    // Set by `start`, before any other thread can use the mesh.
    private(set) var intake: DistributedIntake?

    // Belongs to the thread that joins, and after that to the reading thread.
    var listener: Int32 = -1
    /// Whether the system tells when others may not find this member any more.
    var isAddressWatched = false

    // The variables below belong to the reading thread.
    /// The current absence; nil while others find this member.
    var absence: Absence?
    /// The time of the last check for an absence, for systems without a watch.
    var lastLook: UInt64 = 0
    /// The token of the connection whose bytes are being handled.
    var tokenInHand: UInt64?
    var redials = Redials()
    /// The reported reasons for the ends of connections to members that have not accepted this one
    /// since, by address.
    let reportedEnds = Guarded<[String: String]>([:])
    var returns = Returns()
    /// The members that can't be connected to, and the reported reason: an error number of the
    /// system, negative.
    var unreachable: [String: Int32] = [:]
    let topics = ReceivedTopics()
    var isListenerPaused = false
    /// Whether the shortage of file descriptors has been reported.
    var hasListenerTrouble = false

    /// - Parameters:
    ///   - domain: The domain; only members of one domain hear each other.
    ///   - network: The sockets by which members find each other.
    ///   - limits: The limits of what may wait for each peer.
    ///   - processName: The name that others see; nil for the process's own.
    ///   - patience: The time to wait, when leaving, for a peer that takes nothing.
    init(
        domain: String, network: any MeshNetwork, limits: DistributedLimits,
        processName: String? = nil, patience: Duration = Departure.patience
    ) throws(DistributedCenterError) {
        self.network = network
        self.limits = limits
        self.patience = patience
        let id = PeerID.random()
        greeting = Greeting(
            id: id, process: getpid(),
            processName: processName ?? ProcessInfo.processInfo.processName,
            address: id.description, domain: domain)
        ownPeer = DistributedPeer(
            id: greeting.address, processIdentifier: greeting.process,
            processName: greeting.processName)
        poller = try Poller()
        writer = try MeshWriter(network)
    }

    deinit {
        if listener >= 0 { switchyard_fork_close(listener) }
    }

    /// Whether this process is a child of the one that joined: the connections are the parent's.
    var isForked: Bool { switchyard_fork_generation() != generation }

    var isConnected: Bool { !isForked }
    var tracksDelivery: Bool { true }
    var sharesLatestValues: Bool { true }
    var carriesRequests: Bool { true }
    var sharesGroups: Bool { true }
    var knowsPeers: Bool { true }

    func start(_ intake: DistributedIntake) throws {
        self.intake = intake
        try join()
        do {
            try startReading()
        } catch {
            stop()
            throw error
        }
        MeshExit.add(self)
        // Another member of this process may have cleared the event that this one's address is
        // gone, before it could tell this member.
        lookForAddress()
    }

    func stop() { _ = end() }

    func close(flushing: Bool) -> [DistributedLoss] {
        if !flushing { return end() }
        stopWhenFlushed()
        return []
    }

    /// Ends as the exit of the process does: waits, on the calling thread, for as long as others take
    /// what was posted.
    ///
    /// - Parameter patience: the time after which a peer that takes nothing is given up.
    /// - Returns: The notifications that were given up. They have been reported.
    func endWhenSettled(patience: Duration) -> [DistributedLoss] {
        beginLeaving()
        var departure = Departure(patience: patience, at: .now)
        while mustWait(in: &departure) { blockUntilSettled(within: Departure.round) }
        return end()
    }

    /// Stops the mesh, and gives up what waits.
    ///
    /// - Returns: The notifications that were given up. They have been reported.
    func end() -> [DistributedLoss] {
        if hasStopped.exchange(true, ordering: .acquiringAndReleasing) { return [] }
        if isForked { return [] }
        endingThread.store(switchyard_thread_token(), ordering: .releasing)
        network.withdraw(greeting.address)
        // A parent's thread may have held its mesh's lock when this process was forked.
        for other in MeshExit.all where other !== self && !other.isForked {
            other.endsBeside(self)
        }
        let rest = closeAll()
        var losses = rest.losses
        for index in losses.indices { losses[index].peer = identifiedPeer(for: losses[index].peer) }
        for connection in rest.connections { connection.breakOff() }
        for waiter in rest.waiters { waiter.finish([]) }
        for answer in rest.questions { answer(nil) }
        poller.wake()
        writer.wakeIfThereIs()
        for loss in losses { intake?.report(loss) }
        MeshExit.remove(self)
        ended.raise()
        return losses
    }

    /// Waits until the thread that stops this member has reported all losses, for at most 5
    /// seconds. Returns at once on that thread itself, which may be in the user's hook.
    func awaitEnd() {
        if endingThread.load(ordering: .acquiring) == switchyard_thread_token() { return }
        // A dispatch semaphore's time limits follow the wall clock on Linux, so it is not used
        // here. One wait takes the signal, so it is raised again for the next.
        if ended.wait(until: .now + .seconds(5)) { ended.raise() }
    }

    /// Stops once all posted notifications have been written, or no peer takes them any more.
    private func stopWhenFlushed() {
        if isForked || hasSettled { return stop() }
        Task.detached { [self] in
            var departure = beginDeparture()
            while mustWait(in: &departure) { await settle(within: Departure.round) }
            stop()
        }
    }

    override func send(
        _ topic: Topic, _ object: String?, _ kind: PayloadKind, _ payload: UnsafeRawBufferPointer,
        isImmediate: Bool
    ) -> DistributedSendResult {
        post(topic, object, kind, payload, isImmediate: isImmediate)
    }

    override func mayBeHeard(_ topic: Topic, _ object: String?) -> Bool {
        hasHearers(topic, object)
    }

    func interestChanged() {
        if hasInterestChanges.exchange(true, ordering: .acquiringAndReleasing) { return }
        poller.wake()
    }

    /// Tells posters the changes in what this member observes.
    func tellInterest() {
        hasInterestChanges.store(false, ordering: .sequentiallyConsistent)
        guard let intake else { return }
        intake.reportUnheard()
        state.withLock { tellInterest(of: intake, &$0) }
        intake.forgetUnheardValues()
    }

    func tellInterest(of intake: DistributedIntake, _ state: inout MeshState) {
        let changes = intake.interest.takeChanges()
        if changes.isEmpty { return }
        var frames = ByteWriter()
        for change in changes {
            change.interest.write(to: &frames, isObserved: change.isObserved)
        }
        for inlet in state.inlets.values where inlet.isGreeted {
            frames.withBytes { write($0, to: inlet, &state) }
        }
    }
}

// MARK: - Forked children

extension Mesh {
    /// Whether this process is a forked child, which has none of the parent's connections: their
    /// descriptor numbers may belong to other files here. The problem hook is told.
    var isForkedReported: Bool {
        if !isForked { return false }
        intake?.report(problem: Self.forkAdvice)
        return true
    }

    private static var forkAdvice: String {
        "this process was forked from the one that made the center, and has none of its connections: "
            + "a child has to call exec, or to make a center of its own"
    }
}
