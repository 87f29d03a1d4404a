// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// The elements of JSON: words, numbers, and the space between them.
extension JSONScanner {
    func peek() -> UInt8 { position < json.count ? json[position] : 0 }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while position < json.count {
            switch json[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position += 1
            default: return
            }
        }
    }

    mutating func expectEnd() throws(MalformedInput) {
        skipSpace()
        if position < json.count { throw malformed("nothing more", at: position) }
    }

    func malformed(_ expected: String, at position: Int) -> MalformedInput {
        MalformedInput("it is not JSON: at byte \(position), expected \(expected)")
    }

    mutating func word(_ word: StaticString) throws(MalformedInput) {
        let length = word.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: length)
        guard json[position...].prefix(length).elementsEqual(expected) else {
            throw malformed("a value", at: position)
        }
        position += length
    }

    private mutating func digits() -> Int {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek()) { position += 1 }
        return position - start
    }

    mutating func number(to list: inout ByteWriter) throws(MalformedInput) {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        let first = peek()
        let count = digits()
        if count == 0 { throw malformed("a value", at: start) }
        if count > 1, first == UInt8(ascii: "0") {
            throw malformed("a number without leading zeros", at: start)
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            if digits() == 0 { throw malformed("digits", at: position) }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            if digits() == 0 { throw malformed("digits", at: position) }
        }
        if isInteger, let magnitude = integer(start + (isNegative ? 1 : 0)..<position) {
            if append(magnitude, isNegative: isNegative, to: &list) { return }
        }
        let text = String(decoding: json[start..<position], as: UTF8.self)
        guard let double = Double(text), double.isFinite else {
            throw MalformedInput("the number at byte \(start) is too large")
        }
        list.append(PropertyListTag.double)
        list.append(double.bitPattern)
    }

    /// Returns the value of the digits; nil if it is too large.
    private func integer(_ digits: Range<Int>) -> UInt64? {
        var value: UInt64 = 0
        for index in digits {
            let digit = UInt64(json[index] - UInt8(ascii: "0"))
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(digit)
            if overflows || overflowsToo { return nil }
            value = sum
        }
        return value
    }

    private func append(
        _ magnitude: UInt64, isNegative: Bool, to list: inout ByteWriter
    ) -> Bool {
        // `Int64.min` has no positive counterpart.
        if magnitude <= Int64.max.magnitude || isNegative && magnitude == Int64.min.magnitude {
            list.append(PropertyListTag.int)
            list.append(isNegative ? 0 &- magnitude : magnitude)
        } else if isNegative {
            return false
        } else {
            list.append(PropertyListTag.uint)
            list.append(magnitude)
        }
        return true
    }
}
