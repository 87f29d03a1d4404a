// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension FixedWidthInteger {
    /// Adds a number of which another process may have said how large it is. The sum stays at the
    /// largest number once it has reached it.
    package mutating func addClamped(_ other: Self) {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        self = isTooMuch ? (other < 0 ? .min : .max) : sum
    }
}
