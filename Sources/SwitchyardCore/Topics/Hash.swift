// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The hashes that the registry's table goes by.
///
/// `Hasher` resists keys chosen to collide, at 26 ns a name; these take 1 to 10 ns. Names and types
/// come from programs, not from strangers, and a collision costs a comparison, never a wrong match.
enum Hash {
    /// Spreads the bits of an address or of another hash over a word.
    @inline(__always)
    static func mix(_ bits: UInt) -> UInt {
        let product = UInt64(bits ^ 0x9E37_79B9).multipliedFullWidth(by: 0x9FB2_1C65_1E98_DF25)
        return UInt(truncatingIfNeeded: product.high ^ product.low)
    }

    /// The hash of two keys that must match together, in this order.
    @inline(__always)
    static func combine(_ first: UInt, _ second: UInt) -> UInt {
        mix(first ^ (second &* 0xD6E8_FEB8_6659_FD93 &+ 0x1F83_D9AB))
    }

    /// The hash of a name: of its bytes when they are ASCII, else of its canonical form, because
    /// strings that are canonically equal are equal in Swift whatever their bytes.
    @inline(__always)
    static func of(_ name: String) -> UInt {
        #if _endian(little) && (os(Linux) || canImport(Darwin)) && (arch(x86_64) || arch(arm64))
        // Up to 15 bytes, most strings are their own storage: the bytes, and in the last one `0xE`
        // and how many there are, if they are ASCII. The hash equals that of `ofASCII` for the same
        // bytes elsewhere.
        let (low, high) = unsafeBitCast(name, to: (UInt64, UInt64).self)
        if high >> 60 == 0xE {
            return ofShort(low, high & 0x00FF_FFFF_FFFF_FFFF, count: UInt(high >> 56 & 0xF))
        }
        #endif
        return ofStored(name)
    }

    @inline(never)
    private static func ofStored(_ name: String) -> UInt {
        let fast = name.utf8.withContiguousStorageIfAvailable { bytes in
            ofASCII(UnsafeRawBufferPointer(bytes))
        }
        if let fast = fast ?? nil { return fast }
        return ofOther(name)
    }

    @inline(never)
    private static func ofOther(_ name: String) -> UInt {
        // Three characters are canonically equal to an ASCII one: the Kelvin sign, the Greek
        // question mark and the Greek varia.
        var plain = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar {
                    case "\u{212A}": "K"
                    case "\u{37E}": ";"
                    case "\u{1FEF}": "`"
                    default: scalar
                    }
                }))
        // A string of Objective-C's has its bytes elsewhere; the copy has them in one piece.
        if let hash = plain.withUTF8({ ofASCII(UnsafeRawBufferPointer($0)) }) { return hash }
        return mix(UInt(bitPattern: plain.hashValue))
    }

    /// The hash of `count` bytes, at most 15, filled up with zeros.
    @inline(__always)
    private static func ofShort(_ low: UInt64, _ high: UInt64, count: UInt) -> UInt {
        let hash = mix(count &* 0x9E37_79B9 ^ UInt(low))
        return count <= 8 ? hash : mix(hash ^ UInt(high))
    }

    /// The hash of `bytes`, or nil when one of them is not ASCII.
    @inline(__always)
    private static func ofASCII(_ bytes: UnsafeRawBufferPointer) -> UInt? {
        let count = bytes.count
        if count < 16 {
            let low = word(of: bytes, from: 0, count: min(count, 8))
            let high = word(of: bytes, from: 8, count: max(count - 8, 0))
            return isASCII(low | high) ? ofShort(low, high, count: UInt(count)) : nil
        }
        var hash = UInt(count) &* 0x9E37_79B9
        var seen: UInt64 = 0
        for offset in stride(from: 0, to: count & ~7, by: 8) {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            seen |= word
            hash = mix(hash ^ UInt(word))
        }
        if count & 7 != 0 {
            // The last word overlaps bytes that were seen before, which does no harm.
            let word = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            seen |= word
            hash = mix(hash ^ UInt(word))
        }
        return isASCII(seen) ? hash : nil
    }

    @inline(__always)
    private static func isASCII(_ bytes: UInt64) -> Bool { bytes & 0x8080_8080_8080_8080 == 0 }

    /// Loads at most 8 bytes, filled up with zeros. Loads that overlap take fewer steps than a
    /// loop.
    @inline(__always)
    private static func word(
        of bytes: UnsafeRawBufferPointer, from offset: Int, count: Int
    ) -> UInt64 {
        if count == 0 { return 0 }
        if count == 8 { return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        let last = offset &+ count &- 1
        if count >= 4 {
            let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let high = bytes.loadUnaligned(fromByteOffset: last &- 3, as: UInt32.self)
            return UInt64(low) | UInt64(high) << UInt64((count &- 4) &* 8)
        }
        let middle = UInt64(bytes[offset &+ count / 2]) << UInt64(count / 2 &* 8)
        return UInt64(bytes[offset]) | middle | UInt64(bytes[last]) << UInt64((count &- 1) &* 8)
    }
}
