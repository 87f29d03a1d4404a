// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The pauses after which a durable observer's handler gets messages again that it refused. Guard:
/// the desk's lock.
///
/// The server keeps the time of a pause only until the observer subscribes anew. Then it delivers
/// all messages without an answer at once, and each is sent back for the rest of its pause.
struct DurablePauses: Sendable {
    private struct Pause: Sendable {
        let end: ContinuousClock.Instant
        /// The number of deliveries that came before the end.
        var early: Int
    }

    /// Returns the seconds until a notification with that number of refusals is tried again.
    static func seconds(after refusals: Int) -> Int {
        min(300, 1 << (min(max(1, refusals), 20) - 1))
    }

    private var pauses: [DurableWindow.Key: Pause] = [:]

    /// The server's timer may be this much ahead of the clock here.
    private static let tolerance = Duration.milliseconds(50)
    /// The number of pauses beyond which those that have ended are forgotten: twice as many as
    /// messages can be without an answer.
    private static let most = 2 * DurableStream.allCases.reduce(0) { $0 + $1.mostUnanswered }

    /// Begins a pause that this process has asked the server for.
    mutating func begin(_ key: DurableWindow.Key, until end: ContinuousClock.Instant) {
        if pauses.count >= Self.most {
            let now = ContinuousClock.now
            pauses = pauses.filter { $0.value.end > now }
        }
        pauses[key] = Pause(end: end, early: earlyDeliveries(of: key))
    }

    /// Returns the rest of a message's pause when the server has delivered the message; nil if the
    /// pause is over.
    ///
    /// - Parameter known: the rest according to the message. Used at its first delivery to this
    ///   process only: after that, the wall clocks of processes and hosts don't matter.
    mutating func rest(
        of key: DurableWindow.Key, known: Duration?, at now: ContinuousClock.Instant
    ) -> Duration? {
        if pauses[key] == nil, let known { begin(key, until: now + known) }
        guard let pause = pauses[key], pause.end - now > Self.tolerance else { return nil }
        pauses[key]?.early += 1
        return pause.end - now
    }

    /// The number of a message's deliveries that came before its pause was over.
    func earlyDeliveries(of key: DurableWindow.Key) -> Int { pauses[key]?.early ?? 0 }

    /// Forgets the pause of a message that is done with.
    mutating func end(_ key: DurableWindow.Key) { pauses[key] = nil }
}
#endif
