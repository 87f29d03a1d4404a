// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension String {
    /// The number of columns that the text takes on a terminal: two for a Chinese, Japanese or
    /// Korean character and for most emoji, none for a mark on the character before it.
    ///
    /// - Complexity: O(n).
    package var columns: Int {
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns }
    }

    /// The text, or, if it takes more than `limit` columns, its beginning and an ellipsis.
    package func fitting(columns limit: Int) -> String {
        if columns <= limit { return self }
        var left = limit - 1
        let end = firstIndex { character in
            left -= character.columns
            return left < 0
        }
        return self[..<(end ?? endIndex)] + "…"
    }
}

extension Character {
    /// The number of columns that the character takes on a terminal.
    fileprivate var columns: Int {
        // Several scalars may be one emoji; those of other writings stand beside each other.
        if unicodeScalars.contains(where: \.isWide) { return 2 }
        return unicodeScalars.reduce(0) { $0 + ($1.isMark ? 0 : 1) }
    }
}

extension Unicode.Scalar {
    /// Scalars with two columns, by the Unicode Standard's table of East Asian widths. Emoji that are
    /// not among these are known by a property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
        0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    fileprivate var isWide: Bool {
        if value < 0x1100 { return false }
        // U+FE0F makes an emoji of the scalar before it.
        return properties.isEmojiPresentation || value == 0xFE0F
            || Self.wide.contains { $0.contains(value) }
    }

    /// Whether it takes no column: a mark, or a sign that is not shown.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        // A soft hyphen is shown.
        case .format: value != 0xAD
        // Vowels and last consonants of Korean syllables.
        default: (0x1160...0x11FF).contains(value)
        }
    }
}
