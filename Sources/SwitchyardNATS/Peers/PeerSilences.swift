// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The processes that do not answer questions. Guard: the lock of ``PeerTable``.
///
/// A client that subscribes to `>` hears the questions to a process that has gone, too, and the
/// server does not say that nobody hears them. Then only silence tells. A process that is stopped
/// is silent as well. It counts as gone for as long, and comes back with its next answer.
struct PeerSilences: Sendable {
    private struct Silence {
        /// The time of the first question without an answer.
        let start: ContinuousClock.Instant
        /// The number of questions without an answer.
        var count = 0
    }

    /// The number of questions without an answer that mean that a process may have gone.
    static let mostQuestions = 5
    /// The time that these questions have to cover.
    static let patience = Duration.seconds(10)

    private var silences: [String: Silence] = [:]
    /// The most processes that are remembered: any client may name one to be asked.
    private static let most = 4_096

    /// Records a question without an answer.
    ///
    /// - Parameter start: the time of the question.
    /// - Returns: Whether the process has been silent for so long that it may have gone.
    mutating func note(
        _ id: String, since start: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) -> Bool {
        if silences.count >= Self.most, silences[id] == nil { silences = [:] }
        var silence = silences[id] ?? Silence(start: start)
        silence.count += 1
        silences[id] = silence
        return silence.count >= Self.mostQuestions && now - silence.start >= Self.patience
    }

    /// Forgets the silence of a process that has answered, or has gone.
    mutating func end(_ id: String) { silences[id] = nil }
}
#endif
