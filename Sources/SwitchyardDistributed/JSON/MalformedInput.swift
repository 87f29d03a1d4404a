// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The error of user input that can't be understood.
package struct MalformedInput: Error, CustomStringConvertible {
    /// The problem, and its position.
    package let description: String

    package init(_ description: String) { self.description = description }
}
