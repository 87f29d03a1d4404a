// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Searches text eight bytes at a time: most text needs no closer look.
extension UnsafeRawBufferPointer {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether these bytes are UTF-8.
    package var isUTF8: Bool {
        let rest = self[firstOutsideASCII...]
        return rest.isEmpty || String(validating: rest, as: UTF8.self) != nil
    }

    /// The index of the first byte that is not ASCII; the count if there is none.
    private var firstOutsideASCII: Int { first(from: 0) { $0 & Self.highBits } }

    /// Returns the index, from `start` on, of the first byte that must be escaped in a string of
    /// JSON; the count if there is none.
    @inline(__always)
    func firstSpecial(from start: Int) -> Int { first(from: start, Self.specials) }

    /// Returns the index, from `start` on, of the first byte that must be escaped in a string of
    /// JSON, or that may belong to a character that a terminal obeys; the count if there is none.
    @inline(__always)
    func firstSpecialOrControl(from start: Int) -> Int {
        first(from: start) { Self.specials($0) | Self.marks(of: 0x7F, in: $0) | $0 & Self.highBits }
    }

    /// Returns the index, from `start` on, of the first byte that `marks` finds; the count if there
    /// is none.
    ///
    /// - Parameter marks: Sets the highest bit of each byte of a word that is searched for. Bytes
    ///   above the lowest such byte may be marked wrongly.
    @inline(__always)
    private func first(from start: Int, _ marks: (UInt64) -> UInt64) -> Int {
        var index = start
        while index < count {
            let found = marks(word(at: index))
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        return count
    }

    /// Returns eight bytes as a word, the first byte lowest. Beyond the end, each byte is the
    /// letter "a", which no search looks for.
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        if count - index >= 8 {
            return UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        var word = Self.ones &* UInt64(UInt8(ascii: "a"))
        for offset in (index..<count).reversed() { word = word << 8 | UInt64(self[offset]) }
        return word
    }

    @inline(__always)
    private static func specials(_ word: UInt64) -> UInt64 {
        (word &- ones &* 0x20) & ~word & highBits
            | marks(of: UInt8(ascii: "\""), in: word) | marks(of: UInt8(ascii: "\\"), in: word)
    }

    @inline(__always)
    private static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ ones &* UInt64(byte)
        return (difference &- ones) & ~difference & highBits
    }
}
