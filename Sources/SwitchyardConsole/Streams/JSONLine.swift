// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// A value as one line of JSON.
package enum JSONLine {
    /// Returns the line without a newline, with the keys in alphabetical order. Characters of other
    /// processes that a terminal would obey, or that change the direction of writing, are escaped.
    package static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON's encoder escapes the first 32 characters alone.
        return String(decoding: try encoder.encode(value), as: UTF8.self).shown
    }
}
