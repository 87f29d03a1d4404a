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
    static func of(_ name: String) -> UInt {
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
        // A string of Objective-C's has its bytes elsewhere; the copy has them in one place.
        if let hash = plain.withUTF8({ ofASCII(UnsafeRawBufferPointer($0)) }) { return hash }
        return mix(UInt(bitPattern: plain.hashValue))
    }

    /// The hash of `bytes`, or nil when one of them is not ASCII.
    @inline(__always)
    private static func ofASCII(_ bytes: UnsafeRawBufferPointer) -> UInt? {
        var hash = UInt(bytes.count) &* 0x9E37_79B9
        var seen: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            seen |= word
            hash = mix(hash ^ UInt(word))
            offset &+= 8
        }
        if offset < bytes.count {
            let word = tail(bytes, from: offset)
            seen |= word
            hash = mix(hash ^ UInt(word))
        }
        return seen & 0x8080_8080_8080_8080 == 0 ? hash : nil
    }

    /// The last bytes, fewer than eight, in one word; loads that overlap take fewer steps than a loop.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
        let count = bytes.count
        if count >= 8 {
            // Together with bytes that were seen before, which is as good.
            return bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        }
        if count >= 4 {
            let low = bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
            let high = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return UInt64(low) | UInt64(high) << 32
        }
        let first = UInt64(bytes[0])
        let middle = UInt64(bytes[count / 2])
        return first | middle << 8 | UInt64(bytes[count &- 1]) << 16
    }
}
