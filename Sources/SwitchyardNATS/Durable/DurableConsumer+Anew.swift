// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

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

    /// Makes the consumer again, at another place. Blocks.
    ///
    /// - Parameters:
    ///   - floor: the number of a message in the stream. Those behind it are delivered, again or
    ///     for the first time; 0 for all.
    ///   - exists: whether the consumer exists, and delivers to `deliverySubject`. If not, another
    ///     process may have made it meanwhile.
    func beginAnew(
        _ stream: DurableStream, behind floor: Int, exists: Bool, deliverySubject: String,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Status {
        // Without a consumer that wants the messages, the stream of kept ones would drop them.
        let keeper = stream == .kept ? try keepMessages(stream, transport, session) : nil
        func endKeeper() {
            guard let keeper else { return }
            _ = try? transport.jetStream.ask(
                "CONSUMER.DELETE.\(stream.name(domain)).\(keeper)", on: session)
        }
        if exists {
            do {
                try delete(stream, transport, session)
            } catch {
                endKeeper()
                throw error
            }
        }
        // A stream that was made again, or has lost its end, has smaller numbers.
        let last = try transport.numbers(of: stream).last(on: session)
        var configuration = configuration(stream, behind: UInt64(floor) > last ? 0 : floor)
        configuration["deliver_subject"] = deliverySubject
        // After an error, the keeper keeps the messages for the next attempt.
        let first = try? create(stream, configuration, transport, session)
        let status = try first ?? create(stream, configuration, transport, session)
        endKeeper()
        return status
    }

    /// Makes a consumer for which the stream keeps its messages. The server deletes it when nobody
    /// does. Blocks.
    ///
    /// - Returns: The consumer's name.
    private func keepMessages(
        _ stream: DurableStream, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> String {
        let configuration: [String: Any] = [
            "filter_subject": filter(stream),
            "deliver_policy": "all", "ack_policy": "explicit", "replay_policy": "instant",
            "inactive_threshold": Duration.seconds(60).wholeNanoseconds,
        ]
        let body: [String: Any] = [
            "stream_name": stream.name(domain), "config": configuration,
        ]
        let answer = try transport.jetStream.ask(
            "CONSUMER.CREATE.\(stream.name(domain))", body, on: session)
        guard let name = answer["name"] as? String else {
            throw NATSError("the server made a consumer without a name")
        }
        return name
    }
}
#endif
