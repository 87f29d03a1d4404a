// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// An observation for which a stream keeps notifications that are posted while nobody observes.
///
/// The observation ends with its last reference, with ``cancel()``, with its center, or with its
/// handler's context, which is reported to the center's problem hook. The stream goes on keeping
/// notifications for the next observation of the same name.
public final class DurableObservation: DurableObserver {
    struct State: Sendable {
        /// The subscriptions to the present delivery subjects, also while `begin` still makes them.
        var subscriptions: [CallbackSubscription] = []
        /// The identities of the consumers, as `find` said at the last `begin`.
        var ids: [DurableStream: String] = [:]
        /// The creation times of the streams, as of the last `begin`.
        var streamsCreated: [DurableStream: Double] = [:]
        /// The subjects to which the server delivers, as of the last `begin`.
        var deliverySubjects: [DurableStream: String] = [:]
        /// The consumers that are being made again, until they are made.
        var anew: [DurableStream: DurableConsumer.Anew] = [:]
        var stalls: [DurableStream: DurableStall] = [:]
        var patience = Duration.seconds(30)
        /// The token of the session with the subscriptions; nil while there are none.
        var session: UInt64?
        /// The delivery subjects of consumers that `begin` asked the server to create, because
        /// there were none.
        var made: [DurableStream: String] = [:]
        /// The streams that have lost messages for this observer, and were not reported yet.
        var gaps: Set<DurableStream> = []
        var hasEnded = false
    }

    let center = MessageCenter()
    let desk: DurableDesk
    let state = Guarded(State())
    private let token: ObservationToken
    /// A random number that identifies the observation.
    let id = HexDigits.text16(UInt64.random(in: 0 ... .max))
    let sessions = Atomic<Int>(0)
    /// Raised when the keeper has something to do.
    let wakeUp = ThreadSignal()

    var consumer: DurableConsumer { desk.consumer }

    /// - Parameter register: registers the handler with the observation's own center.
    init(
        _ desk: DurableDesk, _ report: @escaping @Sendable (DeliveryProblem) -> Void,
        _ register: (MessageCenter) -> ObservationToken
    ) {
        self.desk = desk
        center.onProblem { [wakeUp] problem in
            // The keeper then finds that the context has ended, and reports it with what to do.
            if problem.kind == .undeliverable { wakeUp.raise() } else { report(problem) }
        }
        token = register(center)
    }

    deinit {
        cancel()
        // A turn may be running, may even have released this observation, and throw yet: its error
        // goes to the hook, which the observation's own center has as long as it lives.
        Task.detached { [center, token] in
            await token.cancelAndDrain()
            withExtendedLifetime(center) {}
        }
    }

    /// Ends the observation. Notifications that were delivered but not handled to the end are
    /// delivered again, to the next observation of the name.
    public func cancel() {
        // Before the token, with which the observation's own thread ends: `endWithContext` takes a
        // context that ends afterwards for a consequence.
        state.withLock { $0.hasEnded = true }
        token.cancel()
        interrupt()
        desk.close()
        wakeUp.raise()
    }

    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Ends the observation if its handler's context has ended, so that nobody can call the
    /// handler.
    ///
    /// - Returns: The name of the context with which this call ended the observation; nil if the
    ///   context lives, or the observation had ended before.
    func endWithContext() -> String? {
        guard let mailbox = token.observation.mailbox, mailbox.hasEnded, !hasEnded else {
            return nil
        }
        cancel()
        return mailbox.label
    }

    /// The time without a sign of life after which the server delivers a message again.
    var patience: Duration { state.withLock(\.patience) }

    /// Makes the keeper check now whether the observation is subscribed.
    func wake() { wakeUp.raise() }

    /// Tells the server that this process still works on the messages without an answer.
    func keepInProgress() { if !hasEnded { desk.keepInProgress() } }

    // MARK: - Checks

    /// Returns whether this observer is subscribed, and the server still has its consumers, and
    /// delivers to them. Blocks.
    ///
    /// - Throws: An error when the server can't be asked.
    func isSubscribed(_ transport: NATSTransport, _ session: NATSSession) throws -> Bool {
        let (subjects, ids, isListening) = state.withLock {
            ($0.deliverySubjects, $0.ids, $0.session == session.token)
        }
        if !isListening || transport.refusedSubject(among: Set(subjects.values)) != nil {
            return false
        }
        for stream in DurableStream.allCases {
            let status = try consumer.find(stream, transport, session)
            guard let status, status.deliverySubject == subjects[stream],
                status.id == ids[stream], !isStalled(stream, status)
            else { return false }
        }
        return true
    }

    private func isStalled(_ stream: DurableStream, _ status: DurableConsumer.Status) -> Bool {
        var progress = status.progress
        // A server that was killed did not get the last answers.
        if !desk.isBusy(with: stream), progress.unanswered < stream.mostUnanswered {
            progress.unanswered = 0
        }
        return state.withLock {
            $0.stalls[stream, default: DurableStall()].isStalled(progress, at: .now)
        }
    }
}
#endif
