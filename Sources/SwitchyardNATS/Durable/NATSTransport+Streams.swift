// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// The durable observers of a center. Guard: the transport's lock.
struct Streams: Sendable {
    struct Durable {
        weak let observation: DurableObservation?
    }

    var durables: [Durable] = []
}

// Durable observers outlive sessions and streams.
extension NATSTransport {
    /// Calls `body` with the present session. Throws when there is none.
    func withSession<Result>(_ body: (NATSSession) throws -> Result) throws -> Result {
        guard let session else {
            throw NATSError(
                "there is no connection to NATS just now: try again when there is, or wait for it "
                    + "with ready(within:)")
        }
        do {
            return try body(session)
        } catch let error as JetStreamRefusal {
            throw NATSError("JetStream refused it: \(error)")
        }
    }

    /// Registers an observation, so that it is resumed on later sessions.
    func keepDurable(_ observation: DurableObservation) {
        streams.withLock { streams in
            streams.durables.removeAll { $0.observation?.hasEnded ?? true }
            streams.durables.append(Streams.Durable(observation: observation))
        }
    }

    /// Stops calling handlers for good: once nobody is subscribed, another process may take the
    /// names, and gets everything that has no answer.
    func endStreams() {
        for durable in streams.exchange(Streams()).durables {
            durable.observation?.interrupt()
            durable.observation?.wakeUp.raise()
        }
    }

    /// Stops calling handlers until there is a connection again.
    func interruptStreams() {
        for durable in streams.withLock(\.durables) { durable.observation?.interrupt() }
    }

    /// Makes all durable observers subscribe again.
    func renewStreams() {
        for durable in streams.withLock(\.durables) { durable.observation?.wakeUp.raise() }
    }

    /// Looks after an observation until it ends: sends signs of life, and starts its keeper.
    func watch(_ observation: DurableObservation) {
        keepInProgress(Streams.Durable(observation: observation))
        let keeper = DurableKeeper(observation, self)
        BlockingThread.run("sw-nats-durable") { keeper.run() }
    }

    /// Sends a sign of life for the observation's messages four times in each period of its
    /// patience.
    private func keepInProgress(_ durable: Streams.Durable) {
        guard let patience = durable.observation?.patience else { return }
        let nanoseconds = Int(clamping: max(1, patience.milliseconds / 4)) * 1_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            [weak self] in
            guard let self, let observation = durable.observation, !observation.hasEnded,
                !hasStopped.load(ordering: .relaxed)
            else { return }
            observation.keepInProgress()
            keepInProgress(durable)
        }
    }
}
#endif
