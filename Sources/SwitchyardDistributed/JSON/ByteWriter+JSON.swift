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

    /// Appends text, and escapes the characters that ``controlLength(_:at:)`` finds.
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
            let length = Self.controlLength(text, at: index)
            if length > 0 {
                append(bytes: UnsafeRawBufferPointer(rebasing: text[plain..<index]))
                append(escaped: text[index + length - 1])
                plain = index + length
            }
            index = nextSuspect(index + max(1, length))
        }
        append(bytes: UnsafeRawBufferPointer(rebasing: text[plain...]))
    }

    /// Returns the number of bytes at `index` that are to be escaped as one; 0 for none. The C1
    /// controls take two bytes in UTF-8, the second of which is their code.
    private static func controlLength(_ text: UnsafeRawBufferPointer, at index: Int) -> Int {
        switch text[index] {
        case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: 1
        case 0xC2 where index + 1 < text.count && text[index + 1] < 0xA0: 2
        default: 0
        }
    }

    private mutating func append(escaped byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        default:
            append(byte < 0x10 ? "u000" : "u00")
            append(string: String(byte, radix: 16))
        }
    }

    /// Appends a number of JSON; as a string if it is infinite or not a number.
    package mutating func append(json number: Double) {
        if number.isFinite { append(string: "\(number)") } else { append(quoted: "\(number)") }
    }
}
