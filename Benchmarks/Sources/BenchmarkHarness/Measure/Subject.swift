// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Something that is measured: Switchyard, another library, or a bare loop that shows the limit.
///
/// A new subject is one file, with a type that answers the questions of a table, and one line in
/// that table's list.
package protocol Subject<Question> {
    /// The type of a table's questions, such as a number of observers and a kind of post.
    associatedtype Question

    /// The name of the subject in reports.
    var name: String { get }
    /// The part of the subject in comparisons.
    var role: Role { get }
    /// A note for the reader when the subject can't be measured here; nil when it can.
    var missing: String? { get }

    /// The workload that answers a question, set up and ready; nil when the subject can't answer
    /// it.
    func workload(for question: Question) -> Workload?
}

extension Subject {
    package var missing: String? { nil }
}

/// The part of a subject in a comparison.
package enum Role: String, Codable, Sendable {
    /// Switchyard.
    case switchyard
    /// A library that a program could use in its place.
    case peer
    /// A bare loop that does the least that the hardware and the language allow.
    case limit
}
