// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// Carries notifications between two processes that a pair of pipes connects.
///
/// Three kinds of threads meet here. The center calls from any thread, and never waits for the
/// other process. A thread of the transport's own reads (PipeTransport+Read.swift), and a serial
/// queue writes (PipeTransport+Write.swift).
final class PipeTransport: DistributedTransport {
    struct State {
        /// The receiver of what comes; nil before the start, and once the transport is stopped.
        var intake: DistributedIntake?
        /// The other process; nil before its hello.
        var peer: DistributedPeer?
        var outbox = Outbox()
        /// The number of the last notification that came.
        var lastReceived: UInt64 = 0
        /// The waits for answers and marks, by number.
        var waits: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastWait: UInt64 = 0
        /// Whether the queue will write, so that it need not be asked again.
        var willWrite = false
        var hasSaidHello = false
        var hasEnded = false
    }

    let state = Locked(State())
    let input: FileHandle
    let output: FileHandle
    let writer = DispatchQueue(label: "pipe-writer")
    private let end = DispatchGroup()

    /// This process, as the other one sees it. The center reads it before it starts the transport.
    let ownPeer = DistributedPeer(
        id: UUID().uuidString, processIdentifier: getpid(),
        processName: ProcessInfo.processInfo.processName)

    init(reading input: FileHandle, writing output: FileHandle) {
        (self.input, self.output) = (input, output)
    }

    // MARK: - Start and end

    func start(_ intake: DistributedIntake) {
        // Writing to a process that has gone is an error then, and does not end this one.
        signal(SIGPIPE, SIG_IGN)
        state.withLock { $0.intake = intake }
        end.enter()
        let reader = Thread { [self] in read() }
        reader.name = "pipe-reader"
        reader.start()
        // The center has interests of its own by now, of which interestChanged() does not tell.
        wake()
    }

    func stop() { close(flushing: false) }

    @discardableResult
    func close(flushing: Bool) -> [DistributedLoss] {
        let (intake, peer, lost) = state.withLock { state in
            defer { (state.intake, state.hasEnded) = (nil, true) }
            return (state.intake, state.peer, flushing ? 0 : state.outbox.giveUp())
        }
        finish()
        return Self.report(lost, to: peer, intake)
    }

    /// Ends the transport after the last line. Called on the reading thread, so that the center
    /// learns of the end behind the last notification.
    func hasEnded(_ problem: String?) {
        let (intake, peer, waits) = state.withLock { state in
            defer { (state.hasEnded, state.waits) = (true, [:]) }
            return (state.intake, state.peer, Array(state.waits.values))
        }
        if let problem { intake?.report(problem: problem) }
        if let peer { intake?.hasGone(peer) }
        // No process is left to wait for.
        for wait in waits { wait.resume(returning: true) }
        finish()
        end.leave()
    }

    /// Writes what still waits, and closes this end. The other process then reads to the end and
    /// closes its own, which ends the reader here.
    private func finish() {
        writer.async { [self] in
            write()
            try? output.close()
            state.withLock { $0.intake = nil }
        }
    }

    /// Tells the center of notifications that are never written.
    @discardableResult
    static func report(
        _ lost: UInt64, to peer: DistributedPeer?, _ intake: DistributedIntake?
    ) -> [DistributedLoss] {
        guard let peer, lost > 0 else { return [] }
        let loss = DistributedLoss(peer: peer, direction: .outgoing, count: lost)
        intake?.report(loss)
        return [loss]
    }

    /// Blocks the calling thread until the other process has gone.
    func blockUntilEnded() { end.wait() }

    // MARK: - Send

    func interestChanged() { wake() }

    func send(_ notification: OutgoingNotification) -> DistributedSendResult {
        let result = state.withLock { state in
            state.hasEnded ? DistributedSendResult() : state.outbox.post(notification)
        }
        if result.sent > 0 { wake() }
        return result
    }

    // MARK: - What the transport can do

    var isConnected: Bool { state.withLock { !$0.hasEnded } }
    /// True: the pipe ends when the other process does.
    var tracksDelivery: Bool { true }
    /// True: there is one other process.
    var knowsPeers: Bool { true }
    /// True: lines carry `keptAt`, and stay in order.
    var sharesLatestValues: Bool { true }
    /// True: the default of `ask(_:)` finds the other process among `peers`.
    var carriesRequests: Bool { true }
    /// True: the reader tells the intake of all interests of the other process.
    var sharesGroups: Bool { true }

    /// The other process with its interests. The counts of a status are for people, and left out.
    var peers: [DistributedPeerStatus] {
        state.withLock { state in
            guard let peer = state.peer, !state.hasEnded else { return [] }
            return [
                DistributedPeerStatus(
                    peer: peer, interests: state.outbox.interests.map { Array($0) })
            ]
        }
    }
}
