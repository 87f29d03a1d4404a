// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// Scans strings and their escapes.
extension JSONScanner {
    /// Appends a string with its count before it.
    ///
    /// - Returns: The range of the string's bytes in the list.
    mutating func string(to list: inout ByteWriter) throws(MalformedInput) -> Range<Int> {
        let opening = position
        position += 1
        let countPlace = list.count
        list.append(UInt32(0))
        let start = list.count
        var plain = position
        while true {
            position = json.firstSpecial(from: position)
            guard position < json.count else { throw malformed("the end of a string", at: opening) }
            switch json[position] {
            case UInt8(ascii: "\""):
                list.append(bytes: UnsafeRawBufferPointer(rebasing: json[plain..<position]))
                position += 1
                list.patch(UInt32(truncatingIfNeeded: list.count - start), at: countPlace)
                return start..<list.count
            case UInt8(ascii: "\\"):
                list.append(bytes: UnsafeRawBufferPointer(rebasing: json[plain..<position]))
                position += 1
                try escape(to: &list)
                plain = position
            default: throw malformed("no control character in a string", at: position)
            }
        }
    }

    private mutating func escape(to list: inout ByteWriter) throws(MalformedInput) {
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): list.append(byte)
        case UInt8(ascii: "b"): list.append(UInt8(0x08))
        case UInt8(ascii: "f"): list.append(UInt8(0x0C))
        case UInt8(ascii: "n"): list.append(UInt8(0x0A))
        case UInt8(ascii: "r"): list.append(UInt8(0x0D))
        case UInt8(ascii: "t"): list.append(UInt8(0x09))
        case UInt8(ascii: "u"): try unicode(to: &list)
        default: throw malformed("an escape", at: position - 1)
        }
    }

    private mutating func unicode(to list: inout ByteWriter) throws(MalformedInput) {
        let start = position
        var code = UInt32(try fourDigits())
        if 0xD800..<0xDC00 ~= code, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = UInt32(try fourDigits())
            // A first half without a second stays half of a pair, which is an error below.
            code =
                0xDC00..<0xE000 ~= low ? 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) : 0xD800
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw malformed("both halves of a surrogate pair", at: start)
        }
        list.append(string: String(scalar))
    }

    private mutating func fourDigits() throws(MalformedInput) -> UInt16 {
        let end = position + 4
        guard end <= json.count,
            let value = UInt16(String(decoding: json[position..<end], as: UTF8.self), radix: 16),
            json[position] != UInt8(ascii: "+")
        else { throw malformed("four hexadecimal digits", at: position) }
        position = end
        return value
    }
}
