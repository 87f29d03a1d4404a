// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Something that is measured: Switchyard, another library, or a bare loop that shows the limit.
///
/// One more is one file, with a type that answers the questions of a table, and one line in that
/// table's list.
package protocol Subject<Question> {
    /// What a table asks: what is posted, to how many.
    associatedtype Question

    /// What reports call it.
    var name: String { get }
    /// What the others are compared with it as.
    var role: Role { get }
    /// What a reader is told when it can't be measured here; nil when it can.
    var missing: String? { get }

    /// What is timed to answer a question, set up and ready; nil when this can't do what is asked.
    func workload(for question: Question) -> Workload?
}

extension Subject {
    package var missing: String? { nil }
}

/// What a subject is in a comparison.
package enum Role: String, Codable, Sendable {
    /// Ours.
    case switchyard
    /// What a program could use in its place.
    case peer
    /// A bare loop that does the least that the hardware and the language allow.
    case limit
}
