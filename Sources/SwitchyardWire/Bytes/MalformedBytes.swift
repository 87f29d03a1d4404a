// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The error of bytes that are not what they should be: cut off, damaged, or forged.
@usableFromInline
package struct MalformedBytes: Error, Hashable, CustomStringConvertible {
    /// The position of the error, counted from the first byte that was given.
    @usableFromInline package let offset: Int
    /// A description of the bytes that were expected. Always a literal, so that a failure allocates
    /// nothing: a sender of malformed bytes should not cause work.
    @usableFromInline package let expected: String

    @usableFromInline package init(at offset: Int, expected: String) {
        self.offset = offset
        self.expected = expected
    }

    @usableFromInline package var description: String {
        "malformed: at byte \(offset), expected \(expected)"
    }
}
