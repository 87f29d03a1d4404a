// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardDistributed

/// The consumers of a durable observer in the domain's streams: the server's record of the
/// notifications that it has handled.
///
/// The server delivers to one subject, which is new for each session of each observation. The
/// server moves a consumer to another subject only when nobody subscribes to the old one, and it
/// checks and moves in one step. So the server ensures that one process at a time observes under a
/// name. Messages that were on their way to the previous process are then delivered again, in
/// order.
struct DurableConsumer: Sendable {
    let name: String
    let domain: String
    private let interest: DistributedInterest
    private let pattern: String
    /// The time without a sign of life after which the server delivers a message again.
    private let handlingTime: Duration

    /// A consumer, as the server describes it.
    struct Status {
        var configuration: [String: Any]
        let progress: DurableProgress

        init(_ answer: [String: Any]) {
            configuration = answer["config"] as? [String: Any] ?? [:]
            progress = DurableProgress(answer)
            isBound = answer["push_bound"] as? Bool ?? false
        }

        /// The consumer's identity: its description, with a random number that it was given.
        /// Another consumer of the same name has another one. Empty if another program made the
        /// consumer, and the server does not change descriptions. The time of creation does not
        /// serve: servers (2.9.10) change it when they are restarted.
        var id: String { configuration["description"] as? String ?? "" }

        /// Whether a process subscribes to the consumer's subject.
        let isBound: Bool

        var deliverySubject: String? { configuration["deliver_subject"] as? String }

        /// The time without a sign of life after which the server delivers a message again.
        var patience: Duration {
            .nanoseconds(configuration["ack_wait"] as? Int64 ?? 30_000_000_000)
        }
    }

    init(
        _ options: NATSOptions, name: String, interest: DistributedInterest,
        _ subjects: SubjectMap
    ) throws {
        try Self.check(name: name)
        self.name = name
        domain = options.domain
        self.interest = interest
        handlingTime = options.durableHandlingTime
        pattern = subjects.pattern(for: interest)
    }

    /// The beginning of all subjects to which streams deliver for observers of this name.
    var deliveryRoot: String {
        "\(DurableStream.deliveryStart)\(SubjectMap.token(domain)).\(name)."
    }

    static func check(name: String) throws {
        guard !name.isEmpty, SubjectMap.token(name) == name, !name.contains("/"),
            !name.contains("\\")
        else {
            throw NATSError(
                "the durable observer's name is \"\(name)\": it needs one without spaces, dots, slashes, "
                    + "and the characters * > %")
        }
    }

    // MARK: - Asking and making

    /// Returns the server's consumer with the observer's name; nil if there is none. Blocks.
    ///
    /// - Throws: An error also when something else is observed under the name.
    func find(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status? {
        let status: Status
        do {
            status = Status(
                try transport.jetStream.ask(
                    "CONSUMER.INFO.\(stream.name(domain)).\(name)", on: session))
        } catch let error as JetStreamRefusal
            where [JetStreamRefusal.noConsumer, JetStreamRefusal.noStream].contains(error.code)
        {
            return nil
        }
        if stream == .kept { try checkTopic(of: status, transport) }
        return status
    }

    /// Checks that a consumer under this name wants the notifications that this one does.
    func checkTopic(of status: Status, _ transport: NATSTransport) throws {
        let other = status.configuration["filter_subject"] as? String ?? ""
        if other == pattern { return }
        let observed = transport.subjects.interest(of: other)?.description ?? other
        throw NATSError(
            "the durable observer \"\(name)\" observes \(observed), and \(interest) is something else: give "
                + "this one a name of its own, or forget the other first (forget(durable:)), with what "
                + "is kept for it", code: .nameIsUsedOtherwise)
    }

    /// Makes the server deliver to the subject `deliverySubject`, to which this process has already
    /// subscribed. Blocks.
    ///
    /// - Parameters:
    ///   - found: the server's consumer; nil if there is none.
    ///   - isOwn: whether the consumer delivers to this observation, on an earlier connection of
    ///     this process.
    /// - Returns: The server's answer. Just after a restart, it may describe the consumer as it was
    ///   before this call; `find` describes it as it is.
    /// - Throws: ``Taken`` when somebody subscribes to the consumer's present subject, or to a
    ///   pattern of subjects with it.
    func take(
        _ stream: DurableStream, _ found: Status?, isOwn: Bool, deliverySubject: String,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status {
        do {
            let numbers = transport.numbers(of: stream)
            var configuration =
                try found?.configuration
                ?? configuration(
                    stream, behind: stream == .kept ? Int(numbers.last(on: session)) : 0)
            configuration["deliver_subject"] = deliverySubject
            let status = try create(stream, configuration, transport, session)
            let wanted = handlingTime.wholeNanoseconds
            let description = configuration["description"] as? String
            let identified = Self.identified(description)
            if status.patience == .nanoseconds(wanted), description == identified { return status }
            configuration["ack_wait"] = wanted
            configuration["description"] = identified
            // Servers in a cluster change neither; then both stay as they were.
            return (try? create(stream, configuration, transport, session)) ?? status
        } catch let error as JetStreamRefusal {
            if error.code == JetStreamRefusal.consumerExists { throw taken(isOwn: isOwn) }
            // Another process may have made the consumer meanwhile, behind another number.
            if found == nil, let present = try? find(stream, transport, session) {
                return try take(
                    stream, present, isOwn: isOwn, deliverySubject: deliverySubject, transport,
                    session)
            }
            throw cannotKeep(error)
        }
    }

    func cannotKeep(_ error: JetStreamRefusal) -> NATSError {
        NATSError(
            "could not keep the posts for \"\(name)\": \(error); look at the account's limits "
                + "and at the server's storage")
    }

    /// A consumer's present subject that somebody hears, so that the server does not change it.
    struct Taken: Error {
        /// The error for the user, if that somebody is a durable observer.
        let reason: NATSError
    }

    func taken(isOwn: Bool) -> Taken {
        if isOwn {
            return Taken(
                reason: NATSError(
                    "the server has not noticed that this process's earlier connection ended, and "
                        + "delivers nothing to the durable observer \"\(name)\" until it does; "
                        + "that takes some minutes at most (ping_interval)"))
        }
        return Taken(
            reason: NATSError(
                "another process observes durably as \"\(name)\", and only one may at a time: end "
                    + "that one, or give this one a name of its own", code: .nameIsTaken))
    }

    /// Makes the server deliver to the subject, as ``take(_:_:isOwn:deliverySubject:_:_:)`` does,
    /// for a consumer that does not exist yet, and checks that the new consumer delivers. Blocks.
    ///
    /// A server (2.9.10) calls a stream found while it still prepares it for the process that
    /// creates it. A consumer that is made at that moment never delivers anything, and never
    /// answers a request for a message. It is then made again: nobody uses it yet.
    func make(
        _ stream: DurableStream, deliverySubject: String, _ transport: NATSTransport,
        _ session: NATSSession
    ) throws -> Status {
        for _ in 1..<Self.mostMade {
            let status = try take(
                stream, nil, isOwn: false, deliverySubject: deliverySubject, transport, session)
            if answers(stream, transport, session) { return status }
            // Another process may have taken the name meanwhile: the next attempt says so.
            let present = try find(stream, transport, session)
            if present?.deliverySubject != deliverySubject { continue }
            do {
                try delete(stream, transport, session)
            } catch let error as NATSError
                where [.notAllowed, .noJetStream].contains(error.code)
            {
                // The account may not ask consumers for messages either.
                return status
            }
        }
        return try take(
            stream, nil, isOwn: false, deliverySubject: deliverySubject, transport, session)
    }

    /// The number of times that a consumer is made, if it does not answer. By then, the stream has
    /// been prepared for a long time: the server has another reason for its silence.
    private static let mostMade = 3
    /// The time that a consumer gets for an answer.
    private static let answerTime = Duration.seconds(1)

    /// Whether the consumer answers a request for a message, with a refusal: it delivers by itself.
    /// Also true if this process may not ask.
    private func answers(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) -> Bool {
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream.name(domain)).\(name)"
        do {
            _ = try transport.jetStream.answer(
                to: subject, on: session, within: Self.answerTime
            ) { natsConnection_PublishRequest($0, subject, $1, nil, 0) }
            return true
        } catch {
            return (error as? NATSError)?.code == .notAllowed
        }
    }

    private static let mark = "Switchyard's consumer "

    /// Returns a consumer's description with a random number, if it has none yet.
    ///
    /// - Parameter description: nil for a new consumer, and for one that an earlier version made.
    static func identified(_ description: String?) -> String {
        let text = description ?? ""
        if text.contains(mark) { return text }
        let number = mark + HexDigits.text16(UInt64.random(in: 0 ... .max))
        return text.isEmpty ? number : "\(text); \(number)"
    }

    func create(
        _ stream: DurableStream, _ configuration: [String: Any], _ transport: NATSTransport,
        _ session: NATSSession
    ) throws -> Status {
        let body: [String: Any] = [
            "stream_name": stream.name(domain), "config": configuration,
        ]
        return Status(
            try transport.jetStream.ask(
                "CONSUMER.DURABLE.CREATE.\(stream.name(domain)).\(name)", body, on: session))
    }

    /// Deletes the consumer of a stream; not an error if there is none. Blocks.
    func delete(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        try DistributedNotificationCenter.unlessGone {
            try transport.jetStream.ask(
                "CONSUMER.DELETE.\(stream.name(domain)).\(name)", on: session)
        }
    }

    /// Returns the configuration of a new consumer.
    ///
    /// It begins at a number, not with what is new, because a server (2.9.10) that is killed may
    /// forget a consumer's place, and then begins again as the configuration says.
    ///
    /// - Parameter floor: the number of a message in the stream; 0 for none.
    func configuration(_ stream: DurableStream, behind floor: Int) -> [String: Any] {
        var configuration: [String: Any] = [
            "durable_name": name, "description": Self.identified(nil),
            "filter_subject": filter(stream), "deliver_policy": "all", "ack_policy": "explicit",
            "replay_policy": "instant", "max_deliver": -1,
            "ack_wait": handlingTime.wholeNanoseconds,
            "max_ack_pending": stream.mostUnanswered,
        ]
        if floor > 0 {
            configuration["deliver_policy"] = "by_start_sequence"
            configuration["opt_start_seq"] = floor + 1
        }
        return configuration
    }

    /// Returns the subjects whose messages a stream delivers to the consumer.
    func filter(_ stream: DurableStream) -> String {
        stream == .kept ? pattern : DurableStream.waiting(domain, name)
    }
}
#endif
