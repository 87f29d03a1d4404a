// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

// Single values. What is not of the type that is asked for is beyond this decoder.
extension JSONReading {
    func bool(at index: Int) throws -> Bool {
        switch tape[index].kind {
        case .true: true
        case .false: false
        default: throw beyond()
        }
    }

    func string(at index: Int) throws -> String {
        let entry = tape[index]
        switch entry.kind {
        case .string: return text(of: entry)
        case .escapedString: return try unescaped(entry)
        default: throw beyond()
        }
    }

    private func unescaped(_ entry: JSONTape.Entry) throws -> String {
        var text = ByteWriter(capacity: Int(entry.end - entry.start) + 8)
        let isWhole = withBytes { bytes in
            // With the quotes.
            let quoted = UnsafeRawBufferPointer(
                rebasing: bytes[Int(entry.start) - 1...Int(entry.end)])
            return (try? JSONScanner.append(value: quoted, to: &text)) != nil
        }
        // Before the text there stand its tag and its count.
        guard isWhole, text.count >= 5 else { throw beyond() }
        return text.withBytes { String(decoding: $0[5...], as: UTF8.self) }
    }

    func integer<Value: FixedWidthInteger>(at index: Int) throws -> Value {
        let entry = tape[index]
        guard entry.kind == .integer else { throw beyond(number: index, as: Value.self) }
        let found: Value? = withBytes { bytes in
            var digits = bytes[Int(entry.start)..<Int(entry.end)]
            let isNegative = digits.first == UInt8(ascii: "-")
            if isNegative { digits = digits.dropFirst() }
            guard let magnitude = Self.magnitude(digits), !isNegative || magnitude > 0 else {
                return nil
            }
            return isNegative ? Value(exactly: -magnitude) : Value(exactly: magnitude)
        }
        guard let found else { throw beyond(number: index, as: Value.self) }
        return found
    }

    func double(at index: Int) throws -> Double {
        try floating(at: index, mostDigits: 15, mostPower: 22)
    }

    func float(at index: Int) throws -> Float {
        try floating(at: index, mostDigits: 7, mostPower: 10)
    }

    /// - Parameters:
    ///   - mostDigits: The number of digits that a `Value` holds exactly.
    ///   - mostPower: The largest power of ten that a `Value` holds exactly.
    private func floating<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        at index: Int, mostDigits: Int, mostPower: Int
    ) throws -> Value {
        let entry = tape[index]
        guard entry.kind == .integer || entry.kind == .number else { throw beyond() }
        let found: Value? = withBytes { bytes in
            let text = bytes[Int(entry.start)..<Int(entry.end)]
            if let exact: Value = Self.exact(text, mostDigits: mostDigits, mostPower: mostPower) {
                return exact
            }
            // Numbers that are too large or too small are Foundation's.
            return Value(String(decoding: text, as: UTF8.self)).flatMap { $0.isNormal ? $0 : nil }
        }
        guard let found else { throw beyond(number: index, as: Value.self) }
        return found
    }

    /// Returns the number if one division of numbers that are held exactly gives it: the result is
    /// then rounded once, as it has to be.
    private static func exact<Value: BinaryFloatingPoint>(
        _ text: Slice<UnsafeRawBufferPointer>, mostDigits: Int, mostPower: Int
    ) -> Value? {
        var (magnitude, digits, fraction) = (0, 0, 0)
        var isInFraction = false
        let isNegative = text.first == UInt8(ascii: "-")
        for byte in isNegative ? text.dropFirst() : text {
            switch byte {
            case UInt8(ascii: "."): isInFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if digits > mostDigits { return nil }
                magnitude = magnitude * 10 + Int(byte - UInt8(ascii: "0"))
                if isInFraction { fraction += 1 }
            default: return nil
            }
        }
        if fraction > mostPower { return nil }
        var power: Value = 1
        for _ in 0..<fraction { power *= 10 }
        let value = Value(magnitude) / power
        return isNegative ? -value : value
    }

    /// Returns the number that up to 18 digits stand for; nil if they are more.
    private static func magnitude(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        if digits.count > 18 { return nil }
        var magnitude: Int64 = 0
        for digit in digits { magnitude = magnitude &* 10 &+ Int64(digit &- UInt8(ascii: "0")) }
        return magnitude
    }

    // MARK: - Values of any type

    /// Decodes a value of any type.
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        // Found by the identity of the type, as in `CommonValue`.
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(String.self): try taken(string(at: index), as: type)
        case ObjectIdentifier(Int.self): try taken(integer(at: index) as Int, as: type)
        case ObjectIdentifier(Double.self): try taken(double(at: index), as: type)
        case ObjectIdentifier(Bool.self): try taken(bool(at: index), as: type)
        case ObjectIdentifier(Data.self): try taken(data(at: index), as: type)
        // Foundation has forms of its own for them.
        case ObjectIdentifier(URL.self), ObjectIdentifier(Decimal.self): throw beyond()
        default: try Value(from: JSONValueDecoder(reading: self, index: index))
        }
    }

    /// Bytes are in Base64.
    private func data(at index: Int) throws -> Data {
        guard let data = Data(base64Encoded: try string(at: index)) else { throw beyond() }
        return data
    }
}
