// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Which figures are better.
package enum Better: String, Codable, Sendable {
    /// Times, and bytes.
    case less
    /// What was done in a time.
    case more
}
