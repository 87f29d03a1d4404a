// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The questions of one peer for the status of this member. Those that come faster than they are
/// answered wait, and are answered together; the oldest are passed over if there are too many. So a
/// peer that asks all the time does not hold up what others post. Guard: the mesh's lock.
struct StatusQuestions {
    private var waiting: [UInt64] = []
    /// The time of the last answer; nil before the first.
    private var last: UInt64?
    /// Whether somebody is about to answer.
    private var isDue = false

    /// Nanoseconds between two answers.
    static let pause: UInt64 = 10_000_000
    /// The most questions that are answered together.
    static let most = 16
    /// The most questions that wait.
    static let mostWaiting = 1_024

    /// Adds a question.
    ///
    /// - Returns: The nanoseconds after which the caller has to have the questions answered; nil if
    ///   somebody does already.
    mutating func add(_ number: UInt64, at now: UInt64 = switchyard_now()) -> UInt64? {
        if waiting.count == Self.mostWaiting { waiting.removeFirst() }
        waiting.append(number)
        if isDue { return nil }
        isDue = true
        guard let last, last + Self.pause > now else { return 0 }
        return last + Self.pause - now
    }

    /// Removes the questions that are answered now.
    ///
    /// - Returns: These questions, and whether there are more, which the caller has to have answered
    ///   after the pause.
    mutating func take(at now: UInt64 = switchyard_now()) -> (questions: [UInt64], areMore: Bool) {
        let questions = Array(waiting.prefix(Self.most))
        waiting.removeFirst(questions.count)
        (last, isDue) = (now, !waiting.isEmpty)
        return (questions, isDue)
    }
}
