// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The names of the notifications by which centers talk to each other. Observers never get them.
enum CenterNames {
    /// Heard by all centers: a question, that values have ended, or that it is time to ask again.
    static let questions = WireFormat.questionName
    /// Heard, with the id of the process that asks as object, by that process: an answer.
    static let answers = WireFormat.answerName

    static func contain(_ name: String) -> Bool {
        // Most names are told apart by their lengths.
        let count = name.utf8.count
        return count == questions.utf8.count && name == questions
            || count == answers.utf8.count && name == answers
    }
}

extension DistributedInterest {
    /// Whether this is an interest of a center itself, and of none of its observers.
    package var isForCenters: Bool { name.map(CenterNames.contain) ?? false }
}
