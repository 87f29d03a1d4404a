// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Scans strings and their escapes.
extension JSONScanner {
    /// Appends a string with its count before it.
    ///
    /// - Returns: The range of the string's bytes in the list.
    mutating func string(to list: inout ByteWriter) throws(MalformedInput) -> Range<Int> {
        let opening = place
        place += 1
        let countPlace = list.count
        list.append(UInt32(0))
        let start = list.count
        var plain = place
        while true {
            place = json.firstSpecial(from: place)
            guard place < json.count else { throw malformed("the end of a string", at: opening) }
            switch json[place] {
            case UInt8(ascii: "\""):
                list.append(bytes: UnsafeRawBufferPointer(rebasing: json[plain..<place]))
                place += 1
                list.patch(UInt32(truncatingIfNeeded: list.count - start), at: countPlace)
                return start..<list.count
            case UInt8(ascii: "\\"):
                list.append(bytes: UnsafeRawBufferPointer(rebasing: json[plain..<place]))
                place += 1
                try escape(to: &list)
                plain = place
            default: throw malformed("no control character in a string", at: place)
            }
        }
    }

    private mutating func escape(to list: inout ByteWriter) throws(MalformedInput) {
        let byte = peek()
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): list.append(byte)
        case UInt8(ascii: "b"): list.append(UInt8(0x08))
        case UInt8(ascii: "f"): list.append(UInt8(0x0C))
        case UInt8(ascii: "n"): list.append(UInt8(0x0A))
        case UInt8(ascii: "r"): list.append(UInt8(0x0D))
        case UInt8(ascii: "t"): list.append(UInt8(0x09))
        case UInt8(ascii: "u"): try unicode(to: &list)
        default: throw malformed("an escape", at: place - 1)
        }
    }

    private mutating func unicode(to list: inout ByteWriter) throws(MalformedInput) {
        let start = place
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
        let end = place + 4
        guard end <= json.count,
            let value = UInt16(String(decoding: json[place..<end], as: UTF8.self), radix: 16),
            json[place] != UInt8(ascii: "+")
        else { throw malformed("four hexadecimal digits", at: place) }
        place = end
        return value
    }
}
