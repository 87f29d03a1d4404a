// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Writes one JSON object of strings, straight into the output.
struct JSONLine {
    private let output: OutputBuffer
    private var isEmpty = true

    init(_ output: OutputBuffer) {
        self.output = output
        output.append(UInt8(ascii: "{"))
    }

    mutating func add(_ key: StaticString, _ value: [UInt8]) {
        value.withUnsafeBytes { add(key, $0) }
    }

    /// Adds a value. Where it is not UTF-8, which JSON must be, replacement characters stand in it,
    /// and a second member whose name ends in `Base64` has the bytes as they are.
    mutating func add(_ key: StaticString, _ value: UnsafeRawBufferPointer) {
        let isUTF8 =
            value.allSatisfy { $0 < 0x80 } || String(validating: value, as: UTF8.self) != nil
        begin(key, suffix: "")
        if isUTF8 { return string(value) }
        Array(String(decoding: value, as: UTF8.self).utf8).withUnsafeBytes { string($0) }
        begin(key, suffix: "Base64")
        Array(Data(value).base64EncodedString().utf8).withUnsafeBytes { string($0) }
    }

    func end() { output.append(UInt8(ascii: "}")) }

    private mutating func begin(_ key: StaticString, suffix: StaticString) {
        if !isEmpty { output.append(UInt8(ascii: ",")) }
        isEmpty = false
        output.append(UInt8(ascii: "\""))
        output.append(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        output.append(
            UnsafeRawBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount))
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
    }

    private func string(_ value: UnsafeRawBufferPointer) {
        output.append(UInt8(ascii: "\""))
        var plain = 0
        for index in value.indices where Self.needsEscape(value[index]) {
            output.append(UnsafeRawBufferPointer(rebasing: value[plain..<index]))
            output.append(Self.escape(value[index]))
            plain = index + 1
        }
        output.append(UnsafeRawBufferPointer(rebasing: value[plain...]))
        output.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\t"): Array(#"\t"#.utf8)
        case UInt8(ascii: "\r"): Array(#"\r"#.utf8)
        default:
            Array((byte < 0x10 ? #"\u000"# : #"\u00"#).utf8) + Array(String(byte, radix: 16).utf8)
        }
    }
}
