// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardWire
import Testing

@Suite("Dictionaries with the keys of others that came before") struct DictionaryShapeTests {
    private static let names = [
        "", "a", "b", "ab", "time", "round", "text", "é", "e\u{301}",
        "a longer key than the others",
    ]

    /// A dictionary with these keys, in this order, and numbers for values.
    private static func bytes(_ keys: [String], from first: Int = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt8(0x41))
        writer.append(UInt32(keys.count))
        for (index, key) in keys.enumerated() {
            writer.append(UInt32(key.utf8.count))
            writer.append(string: key)
            writer.append(UInt8(0x10))
            writer.append(UInt64(first + index))
        }
        return writer.withBytes { Array($0) }
    }

    @Test func `A dictionary is decoded right, whatever keys came in whatever order before it`()
        throws
    {
        var chance = Chance(seed: 7)
        for first in 0..<5_000 {
            // An é is one key, composed or not.
            var keys = Self.names.shuffled(using: &chance)
            keys.removeAll { $0 == (Bool.random(using: &chance) ? "é" : "e\u{301}") }
            keys = Array(keys.prefix(Int.random(in: 0...4, using: &chance)))
            if keys.contains("é"), keys.contains("e\u{301}") { continue }
            let entries = try decodedUserInfo(Self.bytes(keys, from: first))
            #expect(entries.count == keys.count)
            for (index, key) in keys.enumerated() {
                #expect(entries[key] as? Int == first + index, "\(keys)")
            }
        }
    }

    @Test func `The first dictionary of a shape stays as it was when others come`() throws {
        let first = try decodedUserInfo(Self.bytes(["x", "y", "z"], from: 1))
        let second = try decodedUserInfo(Self.bytes(["x", "y", "z"], from: 10))
        var third = try decodedUserInfo(Self.bytes(["x", "y", "z"], from: 100))
        third["w"] = 0
        third["x"] = nil
        let fourth = try decodedUserInfo(Self.bytes(["x", "y", "z"], from: 1_000))
        #expect(first as? [String: Int] == ["x": 1, "y": 2, "z": 3])
        #expect(second as? [String: Int] == ["x": 10, "y": 11, "z": 12])
        #expect(third as? [String: Int] == ["y": 101, "z": 102, "w": 0])
        #expect(fourth as? [String: Int] == ["x": 1_000, "y": 1_001, "z": 1_002])
    }

    @Test func `A key that comes twice is malformed, also in a shape that is almost known`() throws
    {
        for _ in 0..<2 {
            _ = try decodedUserInfo(Self.bytes(["p", "q"]))
            #expect(throws: MalformedBytes.self) {
                _ = try decodedUserInfo(Self.bytes(["p", "p"]))
            }
        }
    }

    @Test func `A dictionary of a known shape that is cut off anywhere is malformed`() throws {
        let whole = Self.bytes(["one", "two", "three"])
        for _ in 0..<2 { #expect(try decodedUserInfo(whole).count == 3) }
        for count in whole.indices {
            #expect(throws: MalformedBytes.self) {
                _ = try decodedUserInfo(Array(whole.prefix(count)))
            }
        }
    }

    @Test func `Many threads decode at once`() throws {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<2_000 {
                let keys = Array(Self.names[(round % 4)..<(round % 4 + 3)])
                let entries = try? decodedUserInfo(Self.bytes(keys, from: thread))
                #expect(entries?[keys[2]] as? Int == thread + 2)
            }
        }
    }
}
