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

    /// Adds a question.
    ///
    /// - Returns: The nanoseconds after which the caller has to have the questions answered; nil if
    ///   somebody does already.
    mutating func add(_ number: UInt64, at now: UInt64 = switchyard_now()) -> UInt64? {
        if waiting.count == Self.most { waiting.removeFirst() }
        waiting.append(number)
        if isDue { return nil }
        isDue = true
        guard let last, last + Self.pause > now else { return 0 }
        return last + Self.pause - now
    }

    /// Removes and returns the questions that are answered now.
    mutating func take(at now: UInt64 = switchyard_now()) -> [UInt64] {
        (last, isDue) = (now, false)
        defer { waiting = [] }
        return waiting
    }
}
