// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

// A consumer whose place in the stream means nothing any more: it begins anew.
extension DurableConsumer {
    /// The server's idea of what a consumer has been delivered.
    enum Place {
        case isRight
        /// The consumer is ahead of its stream, so that the server will take new messages for
        /// delivered.
        case isAhead
        /// The server does not go on from the place.
        case isStuck

        /// Returns the number of the message behind which the consumer has to be made anew, 0 for
        /// none; nil if it need not be made anew.
        func floor(_ stream: DurableStream, _ progress: DurableProgress) -> Int? {
            switch self {
            case .isRight: nil
            case .isAhead: 0
            // Consumers of refused notifications begin with the first.
            case .isStuck: stream == .kept ? progress.floor : 0
            }
        }
    }

    /// Looks whether a server that was killed has lost the stream's last numbers; servers (2.9.10)
    /// may. Blocks.
    ///
    /// - Parameter isStuck: whether the consumer is known not to go on.
    func place(
        _ stream: DurableStream, _ found: Status, isStuck: Bool, _ transport: NATSTransport,
        _ session: NATSSession
    ) throws -> Place {
        // The server may not have noticed yet that this process no longer subscribes.
        if !isStuck, found.isBound || found.progress.position == 0 { return .isRight }
        let numbers = transport.numbers(of: stream)
        let (last, place) = (try numbers.last(on: session), UInt64(found.progress.position))
        if isStuck {
            // What is pending has numbers that the consumer has passed.
            return place > last || place == last && found.progress.pending > 0
                ? .isAhead : .isStuck
        }
        if place <= last { return .isRight }
        // The stream of refused notifications allows no second consumer of the same messages, and
        // nearly all its messages for this consumer come from this process.
        if stream == .refused {
            return (try? numbers.pass(to: place, on: session)) == true ? .isRight : .isAhead
        }
        return .isAhead
    }

    /// A consumer that is being made again.
    struct Anew {
        /// The number of the message behind which it begins; 0 for all.
        let floor: Int
        /// The identity that the new consumer gets.
        let id: String
        /// The identity of the consumer in whose place it comes; nil if that is gone.
        let previous: String?
        /// Whether messages may be missing at the new place.
        let isGap: Bool

        /// - Parameter id: the identity of the consumer before, to keep it; nil for a new one.
        init(behind floor: Int, inPlaceOf previous: String?, isGap: Bool, id: String? = nil) {
            self.floor = floor
            self.previous = previous
            self.isGap = isGap
            self.id = DurableConsumer.identified(id)
        }
    }

    /// Makes the consumer again, at another place. Blocks.
    ///
    /// If the process ends meanwhile, the next observer of the name goes on, at the same place:
    /// ``findPlaceholder(_:_:)`` finds it.
    ///
    /// - Parameters:
    ///   - exists: whether the consumer exists, and delivers to `deliverySubject`.
    /// - Throws: ``Taken`` when another process has made the consumer meanwhile.
    func make(
        _ stream: DurableStream, anew: Anew, exists: Bool, deliverySubject: String,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status {
        // A stream that was made again, or has lost its end, has smaller numbers.
        let last = try transport.numbers(of: stream).last(on: session)
        let floor = UInt64(anew.floor) > last ? 0 : anew.floor
        if exists {
            if stream == .kept {
                try makePlaceholder(behind: floor, of: anew.id, transport, session)
            }
            try delete(stream, transport, session)
        }
        var configuration = configuration(stream, behind: floor)
        configuration["deliver_subject"] = deliverySubject
        configuration["description"] = anew.id
        if let first = try? create(stream, configuration, transport, session) { return first }
        do {
            return try create(stream, configuration, transport, session)
        } catch let error as JetStreamRefusal {
            if error.code == JetStreamRefusal.consumerExists { throw taken(isOwn: false) }
            // At another place, the server refuses it for that first.
            let present = try? find(stream, transport, session)
            if let subject = present?.deliverySubject, subject != deliverySubject {
                throw taken(isOwn: false)
            }
            throw cannotKeep(error)
        }
    }
}

// The placeholder: a second consumer of the same messages, which nobody reads. Without one that
// wants them, the stream of kept notifications would drop them.
extension DurableConsumer {
    /// The name of an observer's placeholder. No observer has such a name.
    private static func placeholder(of name: String) -> String { "\(name)%placeholder" }
    private var placeholder: String { Self.placeholder(of: name) }

    /// The beginning of a placeholder's description, before the identity that the consumer gets.
    private var placeholderMark: String { "keeps messages while \(name) is made again: " }

    /// The consumer that a process was about to make again.
    struct Placeholder {
        /// The number of the message behind which it begins.
        let floor: Int
        /// Its identity; nil if an earlier version made the placeholder.
        let id: String?
    }

    /// Returns the consumer that a process was to make again, and did not come to it; nil if there
    /// is none. Blocks.
    ///
    /// - Throws: An error also when it keeps the messages of something else.
    func findPlaceholder(
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Placeholder? {
        guard let found = try placeholderStatus(transport, session) else { return nil }
        try checkTopic(of: found, transport)
        let first = max(1, StreamNumber.checked(found.configuration["opt_start_seq"] as? Int))
        let isMarked = found.id.hasPrefix(placeholderMark)
        return Placeholder(
            floor: first - 1,
            id: isMarked ? String(found.id.dropFirst(placeholderMark.count)) : nil)
    }

    /// Whether there is a placeholder, of whatever topic. Blocks.
    func hasPlaceholder(_ transport: NATSTransport, _ session: NATSSession) throws -> Bool {
        try placeholderStatus(transport, session) != nil
    }

    private func placeholderStatus(
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status? {
        do {
            return Status(
                try transport.jetStream.ask(
                    "CONSUMER.INFO.\(DurableStream.kept.name(domain)).\(placeholder)", on: session))
        } catch let error as JetStreamRefusal
            where [JetStreamRefusal.noConsumer, JetStreamRefusal.noStream].contains(error.code)
        {
            return nil
        }
    }

    /// Makes the placeholder. Blocks.
    ///
    /// - Parameters:
    ///   - floor: the number of the message behind which the consumer is to be made again.
    ///   - id: the identity that it gets.
    func makePlaceholder(
        behind floor: Int, of id: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        // An older one has another place, which can't be changed.
        try Self.endPlaceholder(of: name, domain, transport, session)
        var configuration = configuration(.kept, behind: floor)
        configuration["durable_name"] = placeholder
        configuration["description"] = placeholderMark + id
        let body: [String: Any] = [
            "stream_name": DurableStream.kept.name(domain), "config": configuration,
        ]
        try transport.jetStream.ask(
            "CONSUMER.DURABLE.CREATE.\(DurableStream.kept.name(domain)).\(placeholder)", body,
            on: session)
    }

    /// Deletes an observer's placeholder; not an error if there is none. Blocks.
    static func endPlaceholder(
        of name: String, _ domain: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        let name = placeholder(of: name)
        try DistributedNotificationCenter.unlessGone {
            try transport.jetStream.ask(
                "CONSUMER.DELETE.\(DurableStream.kept.name(domain)).\(name)", on: session)
        }
    }
}
#endif
