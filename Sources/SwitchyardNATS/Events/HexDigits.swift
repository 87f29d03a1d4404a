// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// Conversion between numbers and hexadecimal digits, eight digits at a time in one 64-bit word.
/// Fast, because numbers are read and written for each message.
enum HexDigits {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the number written in eight digits; nil for bytes that are not digits or lower-case
    /// letters.
    @inline(__always)
    static func read8(_ start: UnsafeRawPointer) -> UInt64? {
        let text = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        // Compares all bytes at once: a byte's highest bit is set in the sum if the byte is large
        // enough.
        let digits = (text &+ ones &* 0x50) & ~(text &+ ones &* 0x46)
        let letters = (text &+ ones &* 0x1F) & ~(text &+ ones &* 0x19)
        guard text & highBits == 0, (digits | letters) & highBits == highBits else { return nil }
        // A letter's low bits begin at 1, and stand for 10.
        var value = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ ((text >> 6) & ones) &* 9
        value = (value << 4 | value >> 8) & 0x00FF_00FF_00FF_00FF
        value = (value << 8 | value >> 16) & 0x0000_FFFF_0000_FFFF
        return (value << 16 | value >> 32) & 0xFFFF_FFFF
    }

    /// Returns the number written in sixteen digits.
    @inline(__always)
    static func read16(_ start: UnsafeRawPointer) -> UInt64? {
        guard let high = read8(start), let low = read8(start + 8) else { return nil }
        return high << 32 | low
    }

    @inline(__always)
    static func write8(_ value: UInt32, to start: UnsafeMutableRawPointer) {
        var bytes = UInt64(value)
        bytes = (bytes >> 16 | bytes << 32) & 0x0000_FFFF_0000_FFFF
        bytes = (bytes >> 8 | bytes << 16) & 0x00FF_00FF_00FF_00FF
        bytes = (bytes >> 4 | bytes << 8) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = ((bytes &+ ones &* 6) >> 4) & ones
        let text = bytes &+ ones &* 0x30 &+ isLetter &* 0x27
        start.storeBytes(of: text.littleEndian, as: UInt64.self)
    }

    @inline(__always)
    static func write16(_ value: UInt64, to start: UnsafeMutableRawPointer) {
        write8(UInt32(truncatingIfNeeded: value >> 32), to: start)
        write8(UInt32(truncatingIfNeeded: value), to: start + 8)
    }

    /// Returns a number as sixteen digits.
    static func text16(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            if let start = buffer.baseAddress { write16(value, to: start) }
            return 16
        }
    }
}
#endif
