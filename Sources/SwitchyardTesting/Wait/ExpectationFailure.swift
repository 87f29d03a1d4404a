// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import Switchyard
public import SwitchyardCore

/// An error: an expected post did not come, an unexpected post came, or an observation was left
/// over.
public struct ExpectationFailure: SwitchyardError, LocalizedError {
    /// The reason of a failure. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The expected posts had not all come when the time limit ended.
        public static let timedOut = Code(description: "timedOut")
        /// A post came that should not have come.
        public static let unexpected = Code(description: "unexpected")
        /// An observation did not end with its scope.
        public static let leaked = Code(description: "leaked")
    }

    /// The reason of the failure.
    public let code: Code
    /// A text that says which post was expected, in which file and line, the number that came, and
    /// the other posts meanwhile; or which observations were left over.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
