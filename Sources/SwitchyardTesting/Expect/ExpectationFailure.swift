// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What was expected did not come, or what was not expected came.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. More kinds may come: have a `default` where you switch over it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// It had not come when the time limit ended.
        public static let timedOut = Kind(description: "timedOut")
        /// It came, and should not have.
        public static let unexpected = Kind(description: "unexpected")
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What was expected, where, what came of it, and what was posted meanwhile.
    public let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
