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
    private struct State: Sendable {
        /// The subscriptions to the present delivery subjects, also while `begin` still makes them.
        var subscriptions: [CallbackSubscription] = []
        /// The identities of the consumers, as `find` said at the last `begin`.
        var ids: [DurableStream: String] = [:]
        /// The creation times of the streams, as of the last `begin`.
        var streamsCreated: [DurableStream: Double] = [:]
        /// The subjects to which the server delivers, as of the last `begin`.
        var deliverySubjects: [DurableStream: String] = [:]
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

    private let center = MessageCenter()
    private let desk: DurableDesk
    private let state = Guarded(State())
    private let token: ObservationToken
    /// A random number that identifies the observation.
    private let id = HexDigits.text16(UInt64.random(in: 0 ... .max))
    private let sessions = Atomic<Int>(0)
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

    // MARK: - Subscribing

    /// Ends the subscriptions, and calls the handler no more until ``begin(_:_:)``. Called when
    /// there is no connection, or when another process may use the name.
    func interrupt() {
        desk.pause()
        let ended = state.withLock { state in
            defer { state.subscriptions = [] }
            state.session = nil
            return state.subscriptions
        }
        withExtendedLifetime(ended) {}
    }

    /// Subscribes to the messages of both streams, and creates streams and consumers that are
    /// missing. Called for each session, and again when the server has lost a stream or consumer.
    /// Blocks; only one call at a time.
    ///
    /// - Returns: The streams that have lost messages for this observer.
    /// - Throws: An error also when the observation has ended.
    func begin(_ transport: NATSTransport, _ session: NATSSession) throws -> Set<DurableStream> {
        interrupt()
        for stream in DurableStream.allCases {
            let wasMade = try makeStream(stream, transport, session)
            // A consumer of refused notifications can be created again without a loss, but their
            // stream can't. The gap is recorded at once: a later step may fail, and the next
            // attempt would find the new stream or consumer.
            if stream == .refused, wasMade { _ = state.withLock { $0.gaps.insert(stream) } }
            let isOther = try beginOrDrop(stream, transport, session)
            if stream == .kept, isOther { _ = state.withLock { $0.gaps.insert(stream) } }
        }
        let gaps = state.withLock { state in
            defer { state.gaps = [] }
            // An interruption that came meanwhile has ended the subscriptions: the keeper begins
            // again.
            let isWhole = state.subscriptions.count == DurableStream.allCases.count
            state.session = isWhole ? session.token : nil
            return state.gaps
        }
        resume()
        // The session may have broken, or the transport stopped, before `begin` was done, so that
        // the interruption came too early.
        let hasStopped = transport.hasStopped.load(ordering: .sequentiallyConsistent)
        if hasStopped || transport.session !== session { interrupt() }
        return gaps
    }

    /// Begins with a stream. If another process has the name, drops the waiting messages of both
    /// streams, because that process gets them.
    private func beginOrDrop(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Bool {
        do {
            return try begin(stream, transport, session)
        } catch let error as NATSError where error.code == .nameIsTaken {
            for stream in DurableStream.allCases { desk.dropWaiting(of: stream) }
            throw error
        }
    }

    private func resume() {
        if hasEnded { return }
        for _ in 0..<desk.resume() { center.post(DurableTurn(desk: desk)) }
    }

    /// - Returns: Whether the stream is not the same as at the last `begin`.
    private func makeStream(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Bool {
        let existedBefore = state.withLock { $0.streamsCreated[stream] != nil }
        let made = try stream.make(transport, session, existedBefore: existedBefore)
        return state.withLock { state in
            defer { if let created = made.created { state.streamsCreated[stream] = created } }
            return made.isOther(than: state.streamsCreated[stream])
        }
    }

    /// - Returns: Whether the server had no consumer for this observer, or another one than at the
    ///   last `begin`.
    private func begin(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Bool {
        let found = try consumer.find(stream, transport, session)
        let before = state.withLock { $0.ids[stream] }
        // The stream of refused notifications allows no second consumer of the same messages.
        let isAhead =
            try stream == .kept
            && found.map { try consumer.isAhead(stream, $0, transport, session) } ?? false
        let isNew = isAhead || found.map { $0.id != before } ?? true
        // A new consumer may belong to a new stream, whose sequence numbers mean other messages.
        if isNew { desk.beginAge(of: stream) }
        // An earlier call may have moved the consumer although its answer was lost.
        let isOwn = found?.deliverySubject?.hasPrefix(deliveryPrefix) ?? false
        // Another process uses or has used the name, and was sent all messages that wait here.
        if !isNew, !isOwn { desk.dropWaiting(of: stream) }
        let number = sessions.wrappingAdd(1, ordering: .relaxed).newValue
        let subject = deliveryPrefix + "\(number)"
        let subscription = try listen(stream, subject, session)
        // Before the server is asked, because its answer may be lost, and because `cancel` gives
        // the name up.
        let isWanted = state.withLock { state in
            if state.hasEnded { return false }
            state.subscriptions.append(subscription)
            if found == nil { state.made[stream] = subject }
            return true
        }
        guard isWanted else {
            throw NATSError("the durable observer \"\(consumer.name)\" ended before it had begun")
        }
        do {
            let status =
                if let found, isAhead {
                    try consumer.beginAnew(
                        stream, found, deliverySubject: subject, transport, session)
                } else if let found {
                    try consumer.take(
                        stream, found, isOwn: isOwn, deliverySubject: subject, transport, session)
                } else {
                    try consumer.make(
                        stream, deliverySubject: subject, transport, session)
                }
            state.withLock { state in
                state.stalls[stream]?.begin()
                state.deliverySubjects[stream] = subject
                state.patience = status.patience
            }
            let known = try consumer.find(stream, transport, session)
            state.withLock { $0.ids[stream] = known?.id }
            return isNew
        } catch {
            state.withLock { state in state.subscriptions.removeAll { $0 === subscription } }
            throw error
        }
    }

    /// The beginning of all subjects to which the server delivers for this observation.
    private var deliveryPrefix: String {
        "_SWY.durable.\(SubjectMap.token(consumer.domain)).\(consumer.name).\(id)."
    }

    /// Whether this observation has made consumers, or may have.
    var hasMade: Bool { state.withLock { !$0.made.isEmpty } }

    /// Deletes the consumers that this observation made and still has, because it did not come
    /// about: the stream would keep notifications for them. Blocks.
    func deleteMade(_ transport: NATSTransport, _ session: NATSSession) throws {
        for (stream, subject) in state.withLock(\.made) {
            let found = try consumer.find(stream, transport, session)
            // Another process may have taken the name meanwhile.
            if found?.deliverySubject == subject { try consumer.delete(stream, transport, session) }
        }
    }

    private func listen(
        _ stream: DurableStream, _ subject: String, _ session: NATSSession
    ) throws -> CallbackSubscription {
        let listening = desk.beginListening(to: stream)
        return try CallbackSubscription.taking(subject, on: session) { [center, desk] message in
            if desk.take(message, listening) { center.post(DurableTurn(desk: desk)) }
        }
    }

    // MARK: - Checks

    /// Returns whether this observer is subscribed, and the server still has its consumers, and
    /// delivers to them. Blocks.
    ///
    /// - Throws: An error when the server can't be asked.
    func isSubscribed(_ transport: NATSTransport, _ session: NATSSession) throws -> Bool {
        let (subjects, ids, isListening) = state.withLock {
            ($0.deliverySubjects, $0.ids, $0.session == session.token)
        }
        if !isListening { return false }
        for stream in DurableStream.allCases {
            let status = try consumer.find(stream, transport, session)
            guard let status, status.deliverySubject == subjects[stream],
                status.id == ids[stream], !isStalled(stream, status.progress)
            else { return false }
        }
        return true
    }

    private func isStalled(_ stream: DurableStream, _ progress: DurableProgress) -> Bool {
        state.withLock { $0.stalls[stream, default: DurableStall()].isStalled(progress, at: .now) }
    }

    /// Checks whether the server lets this process subscribe, acknowledge, and put aside refused
    /// notifications. Blocks.
    func checkPermissions(_ transport: NATSTransport, _ session: NATSSession) throws {
        guard let handle = session.handle else { return }
        defer { withExtendedLifetime(session) {} }
        for subject in consumer.refusedSubjects {
            try consumer.tryPublishing(to: subject, transport, session)
        }
        let acks = DurableStream.allCases.map { consumer.ackSubject($0) }
        for subject in acks { natsConnection_PublishString(handle, subject, "+WPI") }
        _ = session.flush(within: 2_000)
        transport.settleRefusals(session)
        let subjects = Set(state.withLock { $0.deliverySubjects.values } + acks)
        guard let refused = transport.refusedSubject(among: subjects) else { return }
        throw NATSError(
            "the account may not use \(refused), which durable observers need: have its permissions "
                + "allow to publish to $JS.API.> and $JS.ACK.>, and to subscribe to _SWY.>")
    }
}
#endif
