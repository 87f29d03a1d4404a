// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The answers that a request waits for.
@_spi(Engine) public enum WantedAnswers: String, Sendable {
    /// Every answer.
    case all
    /// One answer, whatever it is.
    case one
    /// One answer that fulfils a condition, which only the one who asks knows.
    case oneThatFits
}

/// The answers that a request waits for, and the result that it makes of them.
///
/// ```swift
/// let host = try await center.request(FindHost(), within: .seconds(1))              // the first answer
/// let hosts = try await center.request(FindHost(), .all, within: .seconds(1))       // [Host]
/// let count = try await center.request(CountPages(), .reduce(0, +), within: .seconds(1))
/// ```
public struct Answers<Reply: Sendable, Result: Sendable>: Sendable {
    /// The answers that are waited for.
    let wanted: WantedAnswers
    /// Whether the answers that have come are enough when the time is up.
    var endsInTime = false
    /// Whether an answer counts.
    let isWanted: @Sendable (Reply) -> Bool
    /// The result of the answers that count; nil if there is none.
    let result: @Sendable ([Reply]) -> Result?
}

extension Answers where Result == Reply {
    /// The first answer. The request ends with it: it waits for no other, and nobody else is asked.
    public static var first: Answers {
        Answers(wanted: .one, isWanted: { _ in true }, result: { $0.first })
    }

    /// The first answer that fulfils a condition. The request ends with it: it waits for no other,
    /// and nobody else is asked.
    ///
    /// - Parameter condition: called with each answer, on the thread that gave it, or that received
    ///   it from another process.
    public static func first(where condition: @escaping @Sendable (Reply) -> Bool) -> Answers {
        Answers(wanted: .oneThatFits, isWanted: condition, result: { $0.first })
    }
}

extension Answers where Result == [Reply] {
    /// All answers, in the order of the registrations of those who gave them, by priority. None if
    /// nobody answers. Those of other processes come behind those of this one, for each priority.
    public static var all: Answers {
        Answers(wanted: .all, isWanted: { _ in true }, result: { $0 })
    }
}

extension Answers {
    /// A value made of all answers, in the order of the registrations of those who gave them, by
    /// priority.
    ///
    /// - Parameters:
    ///   - initial: the result if nobody answers.
    ///   - combine: makes the next result of the one before and an answer; called by who asked.
    public static func reduce(
        _ initial: Result, _ combine: @escaping @Sendable (Result, Reply) -> Result
    ) -> Answers {
        Answers(wanted: .all, isWanted: { _ in true }, result: { $0.reduce(initial, combine) })
    }

    /// These answers, as far as they come in time: when the time is up, the result is made of those
    /// that have come.
    ///
    /// ```swift
    /// let hosts = try await center.request(FindHost(), .all.inTime, within: .seconds(1))
    /// ```
    /// A slow one does not fail the request then, nor does one that waits for the caller, or for
    /// room. One whose bound lost or refused the request does, as without this
    /// (``RequestError/Code/notAsked``); of another process, which says so when all who answer there
    /// are done, only if that is in time. Without a wanted answer, a request for the first one fails
    /// all the same.
    public var inTime: Answers {
        var answers = self
        answers.endsInTime = true
        return answers
    }
}
