// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension String {
    /// The text for people to read in one line, whoever wrote it. Characters that a terminal would
    /// obey, that end a line, or that change the direction of writing, are escaped as in JSON.
    package var shown: String {
        let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        if isPlain || unicodeScalars.allSatisfy({ !Self.isObeyed($0) }) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if Self.isObeyed(scalar) {
                text += Self.escape(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns the first `limit` Unicode scalars of the text and an ellipsis, or all of a shorter
    /// text. Scalars are counted because one character may have any number of them.
    package func shortened(to limit: Int) -> String {
        let scalars = unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
        guard let end, end != scalars.endIndex else { return self }
        return String(scalars[..<end]) + "…"
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls, separators of lines and paragraphs, and marks of writing direction.
        case ..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x200E...0x200F, 0x2066...0x2069, 0x061C: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16)
        }
    }
}
