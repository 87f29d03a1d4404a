// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import SwitchyardDistributed

/// A transport whose notifications the test carries to another center, when it likes.
final class HandCarriedTransport: DistributedTransport {
    private struct State {
        var intake: DistributedIntake?
        var sent: [OutgoingNotification] = []
        var failure: (any Error)?
        var duringSend: (@Sendable () -> Void)?
        /// Whether the transport is asked to wait until others are ready, and not answered.
        var waits: [CheckedContinuation<Void, Never>] = []
        var holdsWaits = false
        /// The number of processes that are not ready at the end of a wait.
        var silent = 1
        var sequence: UInt64 = 0
    }

    let ownPeer: DistributedPeer
    let sharesLatestValues: Bool
    private let state = Guarded(State())

    init(_ id: String, sharesLatestValues: Bool = true) {
        ownPeer = DistributedPeer(id: id, processIdentifier: 1, processName: id)
        self.sharesLatestValues = sharesLatestValues
    }

    /// The intake of the center that has started this.
    var intake: DistributedIntake {
        guard let intake = state.withLock(\.intake) else { preconditionFailure("not started") }
        return intake
    }

    // MARK: - For the test

    /// Tells the others what is observed: from now on it counts as told.
    @discardableResult
    func tell() -> [DistributedInterest] {
        _ = intake.takeInterestChanges()
        return intake.interests
    }

    /// Takes what was sent since the last time.
    func takeSent() -> [OutgoingNotification] {
        state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
    }

    /// The number of notifications sent since the last time.
    var count: Int { state.withLock(\.sent.count) }

    /// Has sending fail from now on, or not.
    func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

    /// Calls `body` once, in the middle of the next send.
    func duringNextSend(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.duringSend = body }
    }

    /// Hands a notification of another process to the center.
    func receive(_ notification: OutgoingNotification, from sender: HandCarriedTransport) {
        let sequence = state.withLock { state in
            state.sequence += 1
            return state.sequence
        }
        intake.receive(
            IncomingNotification(
                name: notification.name, object: notification.object,
                payload: notification.payload,
                deliversImmediately: notification.deliversImmediately, sender: sender.ownPeer,
                sequence: sequence, keptAt: notification.keptAt))
    }

    /// Carries all that was sent to `others`, as far as they have told that they observe it.
    func carry(to others: HandCarriedTransport...) {
        for notification in takeSent() {
            for other in others where other.wants(notification) {
                other.receive(notification, from: self)
            }
        }
    }

    /// Whether the others were told of an observer of this notification.
    func wants(_ notification: OutgoingNotification) -> Bool {
        intake.interests.contains { interest in
            (interest.name ?? notification.name) == notification.name
                && (interest.object == nil || interest.object == notification.object)
        }
    }

    /// Holds up those that wait until others are ready, until ``endWaits()``.
    func holdWaits() { state.withLock { $0.holdsWaits = true } }

    /// The number of those that wait.
    var waitCount: Int { state.withLock(\.waits.count) }

    /// Ends the first of the waits; later ones are still held up.
    ///
    /// - Parameter silent: the number of processes that are not ready.
    func endOneWait(silent: Int = 1) {
        state.withLock { state in
            state.silent = silent
            return state.waits.isEmpty ? nil : state.waits.removeFirst()
        }?.resume()
    }

    func endWaits() {
        let waits = state.withLock { state in
            defer { (state.waits, state.holdsWaits) = ([], false) }
            return state.waits
        }
        for wait in waits { wait.resume() }
    }

    // MARK: - For the center

    func start(_ intake: DistributedIntake) { state.withLock { $0.intake = intake } }
    func stop() {}
    func interestChanged() {}

    func send(_ notification: OutgoingNotification) throws -> DistributedSendResult {
        let duringSend = try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.sent.append(notification)
            defer { state.duringSend = nil }
            return state.duringSend
        }
        duringSend?()
        return DistributedSendResult(sent: 1)
    }

    /// Answers at once, or when the test lets it; then as if one process had not answered.
    func waitUntilReady(within limit: Duration) async -> [DistributedPeer] {
        let mustWait = state.withLock(\.holdsWaits)
        guard mustWait else {
            _ = tell()
            return []
        }
        await withCheckedContinuation { wait in state.withLock { $0.waits.append(wait) } }
        return (0..<state.withLock(\.silent)).map {
            DistributedPeer(id: "silent \($0)", processIdentifier: 2, processName: "silent")
        }
    }

    func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] { [] }
    var peers: [DistributedPeerStatus] { [] }
    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? { nil }
    func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? { nil }
}
