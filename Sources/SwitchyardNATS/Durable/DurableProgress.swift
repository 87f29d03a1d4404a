// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The progress of a durable observer's consumer, as the server describes it.
struct DurableProgress: Equatable, Sendable {
    /// The number of deliveries so far, repeated ones included.
    var delivered: Int
    /// The number of messages that have never been delivered.
    var pending: Int
    /// The number of messages that were delivered, and have no answer.
    var unanswered: Int
    /// Whether somebody has paused the consumer.
    var isPaused = false
    /// The number of the last message in the stream that was delivered, or skipped.
    var position = 0
    /// The number of the last message up to which all have an answer.
    var floor = 0

    /// Whether the server has something to deliver, and nothing holds it up.
    var isDue: Bool { pending > 0 && unanswered == 0 && !isPaused }
}

extension DurableProgress {
    init(_ answer: [String: Any]) {
        let last = answer["delivered"] as? [String: Any]
        delivered = StreamNumber.checked(last?["consumer_seq"] as? Int)
        position = StreamNumber.checked(last?["stream_seq"] as? Int)
        let answered = answer["ack_floor"] as? [String: Any]
        floor = StreamNumber.checked(answered?["stream_seq"] as? Int)
        pending = StreamNumber.checked(answer["num_pending"] as? Int)
        unanswered = StreamNumber.checked(answer["num_ack_pending"] as? Int)
        isPaused = answer["paused"] as? Bool ?? false
    }
}

/// Notices a consumer that delivers nothing although it should. Guard: the observation's lock.
///
/// A server (2.9.10) that was killed and started again several times may describe a consumer as
/// bound to its observer, with messages pending, and deliver none, until the consumer delivers to
/// another subject. It may even look for messages where there are none, and not find the next ones.
/// Then the consumer has to be made again.
struct DurableStall: Sendable {
    private var last: DurableProgress?
    private var start: ContinuousClock.Instant?
    /// The time that the server gets for a delivery. It doubles each time that another subject has
    /// not helped: what is pending may not be for this observer.
    private var patience = firstPatience
    private static let firstPatience = Duration.seconds(3)
    private static let longestPatience = Duration.seconds(600)
    /// Whether the consumer has stalled, and another subject has not helped before.
    private(set) var isStuck = false

    /// Begins the time anew: the observer has subscribed again.
    mutating func begin() { (start, isStuck) = (nil, false) }

    /// - Returns: Whether the consumer has been due for some time, and has delivered nothing, so
    ///   that it has to be moved.
    mutating func isStalled(
        _ progress: DurableProgress, at now: ContinuousClock.Instant
    ) -> Bool {
        defer { last = progress }
        if let last, last.delivered != progress.delivered { patience = Self.firstPatience }
        guard progress.isDue, let start, last?.delivered == progress.delivered else {
            start = progress.isDue ? now : nil
            return false
        }
        if now - start < patience { return false }
        self.start = nil
        isStuck = patience > Self.firstPatience
        patience = min(patience * 2, Self.longestPatience)
        return true
    }
}
#endif
