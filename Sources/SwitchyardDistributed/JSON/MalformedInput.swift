// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a user wrote can't be understood.
package struct MalformedInput: Error, CustomStringConvertible {
    /// What is wrong, and where.
    package let description: String

    package init(_ description: String) { self.description = description }
}
