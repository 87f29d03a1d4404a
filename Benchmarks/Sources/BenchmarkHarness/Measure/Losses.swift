// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The messages that were sent and did not arrive.
package struct Losses: Equatable, Sendable {
    /// The number of messages that should have arrived.
    package private(set) var expected = 0
    /// The number of those that did not arrive.
    package private(set) var lost = 0

    package init() {}

    /// Adds further counts of both.
    package mutating func add(expected: Int, received: Int) {
        self.expected += expected
        lost += expected - received
    }

    package static func + (one: Losses, other: Losses) -> Losses {
        var sum = one
        sum.add(expected: other.expected, received: other.expected - other.lost)
        return sum
    }

    /// The losses in words.
    var text: String {
        guard lost > 0 else { return "0" }
        return "\(Figure.text(Double(lost))) of \(Figure.text(Double(expected)))"
    }
}
