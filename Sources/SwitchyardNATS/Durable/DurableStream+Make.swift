// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

// Finding and creating the streams.
extension DurableStream {
    private func configuration(_ options: NATSOptions, _ subjects: SubjectMap) -> [String: Any] {
        [
            "name": name(options.domain), "subjects": [subject(options.domain, subjects)],
            // The stream of kept notifications drops a message when all consumers have handled it;
            // the stream of refused ones, when one has.
            "retention": self == .kept ? "interest" : "workqueue",
            "max_age": options.streamAge.wholeNanoseconds,
            "max_consumers": -1, "max_msgs": -1, "max_bytes": -1, "max_msg_size": -1,
            "storage": "file", "num_replicas": 1,
            // A full stream refuses new messages, so that the posting process learns of it.
            "discard": "new",
        ]
    }

    /// A stream that was found or created.
    struct Made {
        /// Whether the stream did not exist before.
        let wasMade: Bool
        /// The time of the stream's creation, in seconds; nil if the server did not say.
        let created: Double?

        init(_ answer: [String: Any], wasMade: Bool) {
            self.wasMade = wasMade
            created = (answer["created"] as? String).map { Self.seconds($0) }
        }

        /// Returns the seconds of a time such as `2026-11-22T17:01:33.091163960Z`.
        static func seconds(_ time: String) -> Double {
            guard let whole = try? Date(String(time.prefix(19)) + "Z", strategy: .iso8601) else {
                return 0
            }
            let fraction = time.dropFirst(19).prefix { $0 == "." || $0.isNumber }
            return whole.timeIntervalSinceReferenceDate + (Double("0" + fraction) ?? 0)
        }

        /// Returns whether the stream is another than the one created at a time; false if there was
        /// none before.
        func isOther(than before: Double?) -> Bool {
            guard let before else { return false }
            return wasMade || created.map { abs($0 - before) >= 1 } ?? false
        }
    }

    /// The time that a server gets for the removal of a deleted stream before the stream is created
    /// again. A server (2.9.10) that still removes it may never deliver the new stream's first
    /// messages.
    private static let removalTime: UInt32 = 250_000

    /// Creates the stream, if it does not exist. Blocks.
    ///
    /// - Parameter existedBefore: whether the observation has seen the stream, so that somebody may
    ///   have deleted it just now.
    func make(
        _ transport: NATSTransport, _ session: NATSSession, existedBefore: Bool
    ) throws -> Made {
        let (options, subjects) = (transport.options, transport.subjects)
        let name = name(options.domain)
        do {
            if let found = try find(transport, session) {
                try check(found["config"] as? [String: Any] ?? [:], transport, session)
                return Made(found, wasMade: false)
            }
            if existedBefore { usleep(Self.removalTime) }
            do {
                let answer = try transport.jetStream.ask(
                    "STREAM.CREATE.\(name)", configuration(options, subjects), on: session)
                return Made(answer, wasMade: true)
            } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.streamExists
            {
                // Another process has created the stream meanwhile.
                guard let found = try find(transport, session) else {
                    throw NATSError("the stream \(name) was deleted just now: try again")
                }
                try check(found["config"] as? [String: Any] ?? [:], transport, session)
                return Made(found, wasMade: false)
            }
        } catch let error as JetStreamRefusal {
            throw NATSError(
                "could not make the stream \(name), which durable observers need: \(error); look at the "
                    + "account's limits and at the server's storage")
        }
    }

    /// Returns the server's description of the stream; nil if it does not exist.
    private func find(
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> [String: Any]? {
        do {
            return try transport.jetStream.ask(
                "STREAM.INFO.\(name(transport.options.domain))", on: session)
        } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.noStream {
            return nil
        }
    }

    private func check(
        _ found: [String: Any], _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        let subject = subject(transport.options.domain, transport.subjects)
        guard (found["subjects"] as? [String])?.contains(subject) == true else {
            throw NATSError(
                "the stream \(name(transport.options.domain)) is there, and does not keep \(subject): "
                    + "somebody else made it; delete or rename it")
        }
        try checkLimits(found, name(transport.options.domain))
        guard found["no_ack"] as? Bool == true else { return }
        // Earlier versions of Switchyard created the stream without acknowledgements.
        var configuration = found
        configuration["no_ack"] = false
        try transport.jetStream.ask(
            "STREAM.UPDATE.\(name(transport.options.domain))", configuration, on: session)
    }

    /// Refuses a stream that makes room by dropping what durable observers have not heard.
    private func checkLimits(_ found: [String: Any], _ name: String) throws {
        let refusesNew = found["discard"] as? String == "new"
        let eachSubject = refusesNew && found["discard_new_per_subject"] as? Bool == true
        let limits = [
            ("max_msgs", refusesNew), ("max_bytes", refusesNew),
            ("max_msgs_per_subject", eachSubject),
        ]
        for (limit, isRefusal) in limits where !isRefusal && (found[limit] as? Int ?? -1) > 0 {
            throw NATSError(
                "the stream \(name) has \(limit), and drops its oldest messages where it is full, although "
                    + "durable observers have not heard them: take the limit away, or have the stream "
                    + "refuse new ones (nats stream edit \(name) --discard new)")
        }
    }
}
#endif
