// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The rank of an answer among the others: by priority, then by process, then by registration.
@_spi(Engine) public struct AnswerRank: Sendable, Comparable {
    /// The priority of the registration.
    public let priority: Int
    /// The process that answers; empty for the one that asks.
    public let process: String
    /// The number of the registration in its process.
    public let sequence: UInt64

    /// Makes a rank.
    public init(priority: Int = 0, process: String = "", sequence: UInt64 = 0) {
        self.priority = priority
        self.process = process
        self.sequence = sequence
    }

    /// Whether an answer comes before another.
    public static func < (one: AnswerRank, other: AnswerRank) -> Bool {
        if one.priority != other.priority { return one.priority > other.priority }
        return (one.process, one.sequence) < (other.process, other.sequence)
    }
}

/// Takes an answer, or the error that somebody threw in its place, to the process that asks. It
/// returns whether the answer was sent.
package typealias AnswerRelay<Reply> =
    @Sendable (Result<Reply, any Error>, AnswerRank) -> Bool
