// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// Subscribing, and the consumers for that.
extension DurableObservation {
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
        if transport.durablesHaveEnded.load(ordering: .sequentiallyConsistent) {
            throw NATSError(
                "the durable observer \"\(consumer.name)\" can't begin: the process exits, or the "
                    + "center has left NATS", code: .noConnection)
        }
        interrupt()
        // Those of earlier attempts say nothing of this one.
        transport.forgetRefusals(below: deliveryPrefix)
        for stream in DurableStream.allCases {
            let wasMade = try makeStream(stream, transport, session)
            // A consumer of refused notifications can be created again without a loss, but their
            // stream can't. The gap is recorded at once: a later step may fail, and the next
            // attempt would find the new stream or consumer.
            if stream == .refused, wasMade { _ = state.withLock { $0.gaps.insert(stream) } }
            try beginOrDrop(stream, transport, session)
        }
        try checkDelivery(transport, session)
        let gaps = state.withLock { state in
            defer { state.gaps = [] }
            // An interruption that came meanwhile has ended the subscriptions: the keeper begins
            // again.
            let isWhole = state.subscriptions.count == DurableStream.allCases.count
            state.session = isWhole ? session.token : nil
            return state.gaps
        }
        resume()
        // The session may have broken, or durable observers ended with the transport, before `begin`
        // was done, so that the interruption came too early.
        let haveEnded = transport.durablesHaveEnded.load(ordering: .sequentiallyConsistent)
        if haveEnded || transport.session !== session { interrupt() }
        return gaps
    }

    /// Begins with a stream. If another process has the name, drops the waiting messages of both
    /// streams, because that process gets them.
    private func beginOrDrop(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        do {
            try begin(stream, transport, session)
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

    /// Begins with a stream. Records a gap if the server had no consumer for this observer, or
    /// another one than at the last `begin`.
    private func begin(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        let found = try consumer.find(stream, transport, session)
        // An earlier call may have moved the consumer although its answer was lost.
        let isOwn = found?.deliverySubject?.hasPrefix(deliveryPrefix) ?? false
        let anew = try anew(stream, found, isOwn: isOwn, transport, session)
        let isMade = found != nil && found?.id == anew?.id
        let before = state.withLock { $0.ids[stream] }
        let isNew = anew?.isGap ?? found.map { $0.id != before } ?? true
        // A new consumer may belong to a new stream, whose sequence numbers mean other messages.
        if isNew { desk.beginAge(of: stream) }
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
            if found == nil, anew == nil { state.made[stream] = subject }
            state.anew[stream] = anew
            return true
        }
        guard isWanted else {
            throw NATSError("the durable observer \"\(consumer.name)\" ended before it had begun")
        }
        do {
            let status = try bind(
                stream, found, isOwn: isOwn, isMade ? nil : anew, subject, transport, session)
            state.withLock { state in
                state.stalls[stream]?.begin()
                state.anew[stream] = nil
                // Should the next question fail, the new consumer is known, and so is the gap.
                if let anew { state.ids[stream] = anew.id }
                if stream == .kept, isNew { state.gaps.insert(stream) }
                state.deliverySubjects[stream] = subject
                state.patience = status.patience
            }
            let present = try consumer.find(stream, transport, session)
            state.withLock { $0.ids[stream] = present?.id }
            // Also that of a process that ended before it could do so.
            if stream == .kept, try consumer.hasPlaceholder(transport, session) {
                try DurableConsumer.endPlaceholder(
                    of: consumer.name, consumer.domain, transport, session)
            }
        } catch {
            state.withLock { state in state.subscriptions.removeAll { $0 === subscription } }
            throw (error as? DurableConsumer.Taken)?.reason ?? error
        }
    }

    /// Makes the server deliver to a subject, and makes the consumer that is missing, or has to be
    /// made again. Blocks.
    private func bind(
        _ stream: DurableStream, _ found: DurableConsumer.Status?, isOwn: Bool,
        _ anew: DurableConsumer.Anew?, _ subject: String, _ transport: NATSTransport,
        _ session: NATSSession
    ) throws -> DurableConsumer.Status {
        var status: DurableConsumer.Status?
        if let found {
            do {
                // If another process has the name, this alone says so.
                status = try consumer.take(
                    stream, found, isOwn: isOwn, deliverySubject: subject, transport, session)
            } catch let taken as DurableConsumer.Taken {
                return try takeOver(
                    stream, found, isOwn: isOwn, anew, taken, subject, transport, session)
            }
        }
        if let anew {
            return try make(
                stream, anew: anew, exists: found != nil, deliverySubject: subject, transport,
                session)
        }
        return try status
            ?? consumer.make(stream, deliverySubject: subject, transport, session)
    }

    /// Makes the consumer again, at another place. Blocks.
    ///
    /// - Throws: `Taken` when another process has done so meanwhile, with the same identity: the
    ///   observation has missed nothing by that when it gets the name.
    func make(
        _ stream: DurableStream, anew: DurableConsumer.Anew, exists: Bool,
        deliverySubject: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> DurableConsumer.Status {
        do {
            return try consumer.make(
                stream, anew: anew, exists: exists, deliverySubject: deliverySubject, transport,
                session)
        } catch let taken as DurableConsumer.Taken {
            state.withLock { state in
                state.anew[stream] = nil
                state.ids[stream] = anew.id
                if anew.isGap { state.gaps.insert(stream) }
            }
            throw taken
        }
    }

    /// Returns the way in which the consumer has to be made again; nil if it need not be.
    ///
    /// - Parameter isOwn: whether the consumer delivers to this observation.
    private func anew(
        _ stream: DurableStream, _ found: DurableConsumer.Status?, isOwn: Bool,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> DurableConsumer.Anew? {
        let (before, begun, hasStalled) = state.withLock {
            ($0.ids[stream], $0.anew[stream], $0.stalls[stream]?.isStuck == true)
        }
        guard let found else {
            // This process deleted the consumer, or another one did that ended before it had made
            // it again.
            if let begun { return begun }
            guard stream == .kept,
                let placeholder = try consumer.findPlaceholder(transport, session)
            else { return nil }
            // With the identity that it had before, it goes on where it was, unless the stream has
            // lost that place.
            let last = try transport.numbers(of: stream).last(on: session)
            let isPlaceLost = UInt64(placeholder.floor) > last
            let isGap = before != nil && (before != placeholder.id || isPlaceLost)
            return DurableConsumer.Anew(
                behind: placeholder.floor, inPlaceOf: nil, isGap: isGap, id: placeholder.id)
        }
        // It was made, and the answer was lost.
        if let begun, found.id == begun.id { return begun }
        let isStuck = hasStalled && isOwn && found.id == before
        let place = try consumer.place(stream, found, isStuck: isStuck, transport, session)
        guard let floor = place.floor(stream, found.progress) else {
            // The server may not have noticed yet that the earlier call no longer subscribes.
            if isOwn, let begun, begun.previous == found.id { return begun }
            // Another process has made it meanwhile, and did not know the place. If it has used the
            // same one, nothing is missing.
            if let begun, begun.isGap || begun.previous != found.id {
                _ = state.withLock { $0.gaps.insert(stream) }
            }
            return nil
        }
        let isGap = place == .isAhead || found.id != before
        return DurableConsumer.Anew(
            behind: floor, inPlaceOf: found.id, isGap: isGap || begun?.isGap == true)
    }

    /// The beginning of all subjects to which the server delivers for this observation.
    var deliveryPrefix: String {
        consumer.deliveryRoot + "\(id)."
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
}
#endif
