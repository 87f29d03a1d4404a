// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A value as one line of JSON.
package enum JSONLine {
    /// Returns the line without a newline, with the keys in alphabetical order. Control characters
    /// of other processes are escaped, so that none reaches a terminal.
    package static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        // JSON's encoder leaves DEL and the C1 control characters as they are.
        return text.unicodeScalars.map {
            (0x7F...0x9F).contains($0.value) ? "\\u00\(String($0.value, radix: 16))" : "\($0)"
        }.joined()
    }
}
