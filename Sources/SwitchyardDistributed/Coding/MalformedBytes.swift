// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Bytes that are not what they should be: cut off, damaged, or made by somebody who means no good.
package struct MalformedBytes: Error, Hashable, CustomStringConvertible {
    /// Where, counted from the first byte that was given.
    package let offset: Int
    /// What should have stood there. Always a literal, so that a failure allocates nothing: whoever
    /// sends rubbish should not make work.
    package let expected: String

    package init(at offset: Int, expected: String) {
        self.offset = offset
        self.expected = expected
    }

    package var description: String { "malformed: at byte \(offset), expected \(expected)" }
}
