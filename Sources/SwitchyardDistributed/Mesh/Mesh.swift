// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The processes of one user that are in the same domain, each connected to each, with nobody in the
/// middle.
///
/// A member listens on a socket that the others find. It connects to all it finds, and each that it
/// greets connects back. On the connection that it made, a member posts; the other says there what it
/// wants to hear, and hears it. So what is true of two members is on their two connections, and ends
/// with them: nothing else keeps track of who is there.
///
/// Posting threads write as long as that is quick (``WritePace``); then one thread, which there is
/// only after the first such burst, writes for all. Another reads all connections. Neither wakes up
/// when nothing happens.
final class Mesh: DistributedTransport, @unchecked Sendable {
    // Sendable: the constants are; `state` is locked; the rest belongs to the reading thread.

    static let wakeToken: UInt64 = 0
    static let listenerToken: UInt64 = 1
    static let firstConnectionToken: UInt64 = 15

    let network: any MeshNetwork
    let limits: DistributedLimits
    let greeting: Greeting
    let state = Guarded(MeshState())
    let poller: Poller
    let writer: MeshWriter
    let generation = switchyard_fork_generation()
    private let hasInterestChanges = Atomic<Bool>(false)
    let hasStopped = Atomic<Bool>(false)

    // Set by `start`, before any other thread has this.
    private(set) var intake: DistributedIntake?
    var listener: Int32 = -1

    // Of the reading thread.
    var redials = Redials()
    let topics = ReceivedTopics()
    var isListenerPaused = false
    /// Whether it is known that descriptors are wanting.
    var hasListenerTrouble = false

    /// - Parameters:
    ///   - domain: only members of one domain hear each other.
    ///   - network: how they find each other.
    ///   - limits: how much may wait for each.
    ///   - processName: what others see; nil: the process's own.
    init(
        domain: String, network: any MeshNetwork, limits: DistributedLimits,
        processName: String? = nil
    ) throws(MeshError) {
        self.network = network
        self.limits = limits
        let id = PeerID.random()
        greeting = Greeting(
            id: id, process: getpid(),
            processName: processName ?? ProcessInfo.processInfo.processName,
            address: id.description, domain: domain)
        poller = try Poller()
        writer = try MeshWriter(network)
    }

    deinit {
        if listener >= 0 { switchyard_fork_close(listener) }
    }

    var ownPeer: DistributedPeer {
        DistributedPeer(
            id: greeting.id.description, processIdentifier: greeting.process,
            processName: greeting.processName)
    }

    /// Whether this is a child of the process that joined: its connections are the parent's.
    var isForked: Bool { switchyard_fork_generation() != generation }

    func start(_ intake: DistributedIntake) throws {
        self.intake = intake
        try join()
        let thread = Thread { [self] in
            // Foundation names no thread on Linux that has a name before it starts.
            ThreadName.current = "sw-receiver"
            switchyard_block_signals()
            read()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        MeshExit.add(self)
    }

    func stop() {
        if hasStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
        if isForked { return }
        MeshExit.remove(self)
        network.withdraw(greeting.address)
        let (connections, waiters, questions) = state.withLock { state in
            state.isStopped = true
            let connections = Array(state.connections.values)
            state.connections = [:]
            state.outlets = [:]
            state.inlets = [:]
            state.backlogs = [:]
            state.routes.forgetAll()
            for connection in connections { connection.isClosed = true }
            defer { state.waiters = [] }
            return (connections, state.waiters, state.questions.takeAll())
        }
        for connection in connections { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
        for waiter in waiters { waiter.finish([]) }
        for answer in questions { answer(nil) }
        poller.wake()
        writer.wakeIfThereIs()
    }

    /// Stops once what was posted has left, or has not for a while: for a center that goes.
    func stopWhenFlushed() {
        if isForked || bytesThatWait == 0 { return stop() }
        Task.detached { [self] in
            _ = await flush(within: .seconds(2))
            stop()
        }
    }

    func interestChanged() {
        if hasInterestChanges.exchange(true, ordering: .acquiringAndReleasing) { return }
        poller.wake()
    }

    /// Tells those who post to this member what it observes, as far as they have not been told.
    func tellInterest() {
        hasInterestChanges.store(false, ordering: .sequentiallyConsistent)
        guard let intake else { return }
        intake.reportUnheard()
        state.withLock { tellInterest(of: intake, &$0) }
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
