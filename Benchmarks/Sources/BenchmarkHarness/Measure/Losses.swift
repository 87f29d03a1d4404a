// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// How much of what was sent did not arrive.
package struct Losses: Equatable, Sendable {
    /// How many should have arrived.
    package private(set) var expected = 0
    /// How many of them did not.
    package private(set) var lost = 0

    package init() {}

    /// Counts some more of both.
    package mutating func add(expected: Int, received: Int) {
        self.expected += expected
        lost += expected - received
    }

    package static func + (one: Losses, other: Losses) -> Losses {
        var sum = one
        sum.add(expected: other.expected, received: other.expected - other.lost)
        return sum
    }

    /// In words.
    var text: String {
        guard lost > 0 else { return "0" }
        return "\(Figure.text(Double(lost))) of \(Figure.text(Double(expected)))"
    }
}
