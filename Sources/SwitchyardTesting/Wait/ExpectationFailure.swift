// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An error: an expected post did not come, or an unexpected post came.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// A kind of failure. More kinds may be added: have a `default` where you switch over it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The expected posts had not all come when the time limit ended.
        public static let timedOut = Kind(description: "timedOut")
        /// A post came that should not have come.
        public static let unexpected = Kind(description: "unexpected")
    }

    /// The kind of failure.
    public let kind: Kind
    /// A text that says which post was expected, in which file and line, how many came, and what
    /// else was posted meanwhile.
    public let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
