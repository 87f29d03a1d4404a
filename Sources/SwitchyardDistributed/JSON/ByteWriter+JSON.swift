// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

// Text is put together as bytes, because lines are printed by the million.
extension ByteWriter {
    package mutating func append(_ text: StaticString) {
        append(bytes: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number in decimal digits.
    package mutating func append(decimal number: some FixedWidthInteger) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = UInt64(number.magnitude)
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(bytes: UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends text of another process for people to read. Characters that a terminal would obey
    /// are escaped.
    package mutating func append(text: String) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return append(string: text) }
        var quoted = ByteWriter()
        quoted.append(quoted: text)
        quoted.withBytes { bytes in
            let inner = bytes.dropFirst().dropLast()
            append(bytes: UnsafeRawBufferPointer(rebasing: inner))
        }
    }
}

// MARK: - JSON

extension ByteWriter {
    /// Appends the opening brace and the first key of an object.
    package mutating func append(firstKey key: StaticString) {
        append("{\"")
        append(key)
        append("\":")
    }

    /// Appends a comma and another key of an object.
    package mutating func append(key: StaticString) {
        append(",\"")
        append(key)
        append("\":")
    }

    /// Appends a string of JSON, in quotes.
    package mutating func append(quoted text: String) {
        var text = text
        text.withUTF8 { append(quoted: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a string of JSON, in quotes, from UTF-8 bytes. Characters that a terminal would obey
    /// are escaped as well.
    package mutating func append(quoted text: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        append(escaping: text) { text.firstSpecialOrControl(from: $0) }
        append(UInt8(ascii: "\""))
    }

    /// Appends JSON, and escapes in it the characters that a terminal would obey.
    package mutating func append(escapingControls json: UnsafeRawBufferPointer) {
        append(escaping: json) { index in
            json[index...].firstIndex { $0 >= 0x7F } ?? json.count
        }
    }

    /// Appends text, and escapes the characters that ``obeyed(_:at:)`` finds.
    ///
    /// - Parameter nextSuspect: Returns the position, from the given one on, of the next byte that
    ///   may have to be escaped.
    @inline(__always)
    private mutating func append(
        escaping text: UnsafeRawBufferPointer, nextSuspect: (Int) -> Int
    ) {
        var plain = 0
        var index = nextSuspect(0)
        while index < text.count {
            let found = Self.obeyed(text, at: index)
            if let (length, code) = found {
                append(bytes: UnsafeRawBufferPointer(rebasing: text[plain..<index]))
                append(escaped: code)
                plain = index + length
            }
            index = nextSuspect(index + (found?.length ?? 1))
        }
        append(bytes: UnsafeRawBufferPointer(rebasing: text[plain...]))
    }

    /// Returns the character of UTF-8 at `index` if it is to be escaped: a special one of JSON, one
    /// that a terminal obeys, one that ends a line, or a mark of writing direction.
    private static func obeyed(
        _ text: UnsafeRawBufferPointer, at index: Int
    ) -> (length: Int, code: UInt16)? {
        func next(_ offset: Int) -> UInt8 {
            index + offset < text.count ? text[index + offset] : 0
        }
        switch (text[index], next(1), next(2)) {
        case (let byte, _, _)
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || byte == 0x7F:
            return (1, UInt16(byte))
        case (0xC2, let second, _) where second >= 0x80 && second < 0xA0:
            return (2, UInt16(second))
        case (0xD8, 0x9C, _):
            return (2, 0x061C)
        case (0xE2, 0x80, let third)
        where [0x8E, 0x8F].contains(third) || (0xA8...0xAE).contains(third):
            return (3, 0x2000 | UInt16(third & 0x3F))
        case (0xE2, 0x81, let third) where (0xA6...0xA9).contains(third):
            return (3, 0x2040 | UInt16(third & 0x3F))
        default:
            return nil
        }
    }

    private mutating func append(escaped code: UInt16) {
        append(UInt8(ascii: "\\"))
        switch code {
        case 0x22, 0x5C: append(UInt8(truncatingIfNeeded: code))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x0A: append(UInt8(ascii: "n"))
        default:
            let digits = String(code, radix: 16)
            append(UInt8(ascii: "u"))
            append(string: String(repeating: "0", count: 4 - digits.utf8.count))
            append(string: digits)
        }
    }

    /// Appends a number of JSON; as a string if it is infinite or not a number.
    package mutating func append(json number: Double) {
        if number.isFinite { append(string: "\(number)") } else { append(quoted: "\(number)") }
    }
}
