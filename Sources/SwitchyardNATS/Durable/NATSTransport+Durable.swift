// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// The parts of a transport that only durable observers use.
extension NATSTransport {
    /// Calls `body` with the present session. Throws when there is none.
    func withSession<Result>(_ body: (NATSSession) throws -> Result) throws -> Result {
        if isForked {
            throw NATSError(
                "this process was forked from the one that made the center, and has no connection: a "
                    + "child has to call exec, or to make a center of its own", code: .noConnection)
        }
        guard let session else {
            throw NATSError(
                "there is no connection to NATS just now: try again when there is, or wait for it "
                    + "with waitUntilReady(within:)", code: .noConnection)
        }
        do {
            return try body(session)
        } catch let error as JetStreamRefusal {
            throw NATSError("JetStream refused it: \(error)")
        }
    }

    /// Registers an observation, so that it is resumed on later sessions.
    func register(_ observation: DurableObservation) {
        let looked = durables.withLock { $0.add(observation) }
        withExtendedLifetime(looked) {}
    }

    /// Looks after an observation until it ends: sends signs of life, and starts its keeper.
    ///
    /// - Throws: An error when the system can't start the keeper's thread.
    func watch(_ observation: DurableObservation) throws {
        let keeper = DurableKeeper(observation, self)
        try BlockingThread.start("sw-nats-durable") { keeper.run() }
        keepInProgress(observation)
    }

    /// Sends a sign of life for the observation's messages four times in each period of its
    /// patience.
    private func keepInProgress(_ observation: DurableObservation) {
        let nanoseconds = Int(clamping: max(1, observation.patience.milliseconds / 4)) * 1_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            [weak self, weak observation] in
            guard let self, let observation, !observation.hasEnded,
                !hasStopped.load(ordering: .relaxed)
            else { return }
            observation.keepInProgress()
            keepInProgress(observation)
        }
    }
}
#endif
