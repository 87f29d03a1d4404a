// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// JSON on its way into a property list, and back out as text.
@Suite struct JSONScannerTests {
    /// The value of the JSON, decoded by the library; nil when the JSON is refused.
    private func value(_ json: String) -> Any? {
        guard let list = try? encode(Array(json.utf8)) else { return nil }
        return list.withUnsafeBytes { try? PropertyListCoding.decode($0) }
    }

    private func encode(_ json: [UInt8]) throws -> [UInt8] {
        var list = ByteWriter()
        try json.withUnsafeBytes { try JSONScanner.append(value: $0, to: &list) }
        return list.withBytes { Array($0) }
    }

    private func text(_ list: [UInt8]) throws -> String {
        var text = ByteWriter()
        _ = try list.withUnsafeBytes { try PropertyListText.append($0, to: &text) }
        return text.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `Numbers are Int, UInt where that is too small, or Double`() {
        #expect(value("0") as? Int == 0)
        #expect(value("-0") as? Int == 0)
        #expect(value("9223372036854775807") as? Int == .max)
        #expect(value("-9223372036854775807") as? Int == -.max)
        #expect(value("-9223372036854775808") as? Int == .min)
        #expect(value("9223372036854775808") as? UInt == 1 << 63)
        #expect(value("18446744073709551615") as? UInt == .max)
        #expect(value("18446744073709551616") as? Double == 18_446_744_073_709_551_616)
        #expect(value("-9223372036854775809") as? Double == -0x1p63)
        #expect(value("1.0") as? Double == 1)
        #expect(value("1e2") as? Double == 100)
        #expect(value("-2.5E-1") as? Double == -0.25)
    }

    @Test(arguments: [
        ("[null]", "and is an array"), (" \"a\" ", "and is a string"), ("-1e2", "and is a number"),
        ("true", "and is a Bool"), ("false", "and is a Bool"), ("null", "and is null"),
        ("", "there is nothing"), (" \n", "there is nothing"), ("[1", "it is not JSON"),
        ("nul", "it is not JSON"), ("x", "it is not JSON"), ("\"", "it is not JSON"),
        ("\u{FEFF}{}", "it begins with a byte order mark"),
    ])
    func `An error about JSON that is no object says what it is`(_ json: String, _ words: String) {
        var list = ByteWriter()
        #expect {
            try Array(json.utf8).withUnsafeBytes {
                _ = try JSONScanner.append(membersOf: $0, but: [], to: &list)
            }
        } throws: {
            "\($0)".contains(words)
        }
        #expect(list.count == 0)
    }

    @Test func `Strings have their escapes resolved`() {
        #expect(value(#""\"\\\/\b\f\n\r\t""#) as? String == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(value(#""\u00e9\uD83D\ude00x""#) as? String == "é😀x")
        #expect(value(#""""#) as? String == "")
        #expect(value(#""\u0000""#) as? String == "\0")
    }

    @Test(arguments: [
        "", " ", "nul", "null", "[null]", "tru", "+1", "01", "-", "1.", ".5", "1e", "1e400", "0x1",
        "NaN", "[", "[1", "[1,", "[1,]", "[,]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"",
        "\"\\u+123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 2", "{}{}",
        "{\"a\":1,\"\\u0061\":2}", "// 1",
    ])
    func `Text that is no JSON, or no property list, is refused`(_ json: String) {
        #expect(value(json) == nil)
    }

    @Test func `Bytes that are no UTF-8 are refused`() {
        #expect(throws: MalformedInput.self) { try encode([0x22, 0xFF, 0x22]) }
    }

    @Test(arguments: [
        (64, true), (65, false), (512, false), (200_000, false),
    ])
    func `JSON of another process is not followed deeper`(depth: Int, isRead: Bool) throws {
        let json =
            String(repeating: #"{"a":"#, count: depth) + "null"
            + String(repeating: "}", count: depth)
        let payload = DistributedPayload(.json, Array(json.utf8))
        #expect(((try? payload.userInfo) != nil) == isRead)
        var text = ByteWriter()
        let isShown = Array(json.utf8).withUnsafeBytes { bytes in
            (try? text.append(json: bytes, .json)) != nil
        }
        #expect(isShown == isRead)
    }

    @Test func `Brackets in strings do not count, and UTF-16 is no JSON here`() throws {
        let text = #"{"a":""# + String(repeating: #"[{\""#, count: 200) + #""}"#
        try Array(text.utf8).withUnsafeBytes { try JSONDepth.check($0) }
        #expect(throws: MalformedInput.self) {
            try Array(#"{"a":1}"#.utf16).withUnsafeBytes { try JSONDepth.check($0) }
        }
    }

    @Test func `Marks of writing direction are escaped`() {
        var text = ByteWriter()
        text.append(quoted: "a\u{202E}b\u{061C}\u{2066}c\u{2028}é€\u{85}\n")
        let shown = text.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(shown == #""a\u202eb\u061c\u2066c\u2028é€\u0085\n""#)
    }

    @Test func `64 containers may stand inside each other, and no more`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let list = try encode(Array(nested(64).utf8))
        #expect(try text(list) == nested(64))
        #expect(value(nested(65)) == nil)
        // A list that another process sends is not followed deeper either.
        let deeper = [UInt8](repeating: 0, count: 0) + [0x40, 1, 0, 0, 0] + list
        #expect(throws: MalformedBytes.self) { try text(deeper) }
    }

    @Test func `A key that comes twice is found among many`() {
        let members = (0..<200).map { "\"key\($0)\":\($0)" }
        #expect((value("{\(members.joined(separator: ","))}") as? [String: Any])?.count == 200)
        for index in [0, 31, 32, 199] {
            let twice = members + ["\"key\(index)\":0"]
            #expect(value("{\(twice.joined(separator: ","))}") == nil)
        }
    }

    @Test func `Random JSON means what Foundation says it means, and comes back as it was`() throws
    {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let json = try foundation(generator.value(depth: 4))
            let back = try text(try encode(Array(json)))
            let tree = try JSONSerialization.jsonObject(
                with: Data(back.utf8), options: .fragmentsAllowed)
            #expect(try foundation(tree) == json, "\(back)")
        }
    }

    private func foundation(_ tree: Any) throws -> Data {
        try JSONSerialization.data(
            withJSONObject: tree,
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    }

    @Test func `JSON that is cut off anywhere is refused`() throws {
        let json = Array(#"{"a":[1,-2.5e3,"x\n\u00e9",true,false,{"b":{}}],"ü":[]}"#.utf8)
        #expect(
            try text(try encode(json)) == #"{"a":[1,-2500.0,"x\né",true,false,{"b":{}}],"ü":[]}"#)
        for count in 0..<json.count {
            #expect(throws: MalformedInput.self) { try encode(Array(json[..<count])) }
        }
    }

    @Test func `A property list that is cut off or damaged anywhere is refused or printed whole`()
        throws
    {
        let info: [AnyHashable: Any] = [
            "string": "text", "data": Data([1, 2]), "date": Date(timeIntervalSinceReferenceDate: 0),
            "numbers": [Int8(-1), UInt64.max, 2.5, Float(0.5), Double.infinity, true] as [Any],
        ]
        let list = try DistributedPayload(userInfo: info).bytes
        #expect(
            try text(list)
                == #"{"data":"AQI=","date":"2001-01-01T00:00:00.000Z","#
                + #""numbers":[-1,18446744073709551615,2.5,0.5,"inf",true],"string":"text"}"#)
        for count in 0..<list.count {
            #expect(throws: MalformedBytes.self) { try text(Array(list[..<count])) }
        }
        for index in list.indices {
            for bit in 0..<8 {
                var damaged = list
                damaged[index] ^= 1 << bit
                let printed = try? text(damaged)
                let decoded = damaged.withUnsafeBytes { try? PropertyListCoding.decode($0) }
                // The tool prints the lists that the library takes, and no others.
                #expect((printed != nil) == (decoded != nil), "byte \(index), bit \(bit)")
            }
        }
    }
}

/// Random trees that are the same in each run.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }

    mutating func value(depth: Int) -> Any {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
        case 0: return Int.random(in: -1_000_000...1_000_000, using: &self)
        case 1: return Double(Int.random(in: -10_000...10_000, using: &self)) / 8 + 0.0625
        case 2: return Bool.random(using: &self)
        case 3, 4: return string()
        case 5:
            return (0..<Int.random(in: 0...5, using: &self)).map { _ in value(depth: depth - 1) }
        default:
            var object: [String: Any] = [:]
            for _ in 0..<Int.random(in: 0...40, using: &self) where depth > 0 {
                object[string()] = value(depth: depth - 2)
            }
            return object
        }
    }

    private mutating func string() -> String {
        let letters = Array("abcxyz \"\\/\n\t\u{1}\u{7F}\u{9B}é😀ü0123456789")
        return String(
            (0..<Int.random(in: 0...20, using: &self)).map { _ in
                letters[Int.random(in: letters.indices, using: &self)]
            })
    }
}
