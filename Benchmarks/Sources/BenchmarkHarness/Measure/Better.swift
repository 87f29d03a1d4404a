// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The figures that are better: smaller or larger ones.
package enum Better: String, Codable, Sendable {
    /// Smaller figures are better: times, and bytes.
    case less
    /// Larger figures are better: rates.
    case more
}
