// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The answers of the user's `==` about the values that wait, asked without the lock.
///
/// A post is known by its sequence number, which no other ever gets, so an answer holds however the
/// post queue has changed meanwhile. Only posts that came meanwhile have to be asked about.
struct ValueEquality {
    struct Question: Sendable {
        let sequence: UInt64
        let value: Subject
    }

    private var answers: [UInt64: Bool]?

    func knows(_ sequence: UInt64) -> Bool { answers?[sequence] != nil }

    func isEqual(_ sequence: UInt64) -> Bool { answers?[sequence] == true }

    /// Calls the user's `==`: not under a lock.
    mutating func ask(_ questions: consuming [Question], about subject: Subject) {
        var answers = answers ?? [:]
        for question in questions { answers[question.sequence] = question.value == subject }
        self.answers = answers
    }
}
