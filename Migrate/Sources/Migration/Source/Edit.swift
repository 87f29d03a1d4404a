// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A piece of a source that other text replaces.
struct Edit: Equatable, Comparable {
    var range: Range<Int>
    var text: String

    static func < (first: Edit, second: Edit) -> Bool {
        (first.range.lowerBound, first.range.upperBound)
            < (second.range.lowerBound, second.range.upperBound)
    }

    /// Whether both can't be made: they share bytes, or insert at one place.
    func conflicts(with other: Edit) -> Bool {
        range.overlaps(other.range) || range.lowerBound == other.range.lowerBound
    }
}
