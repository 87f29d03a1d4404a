// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardWire
import TestSupport
import Testing

@Suite("Malformed property lists") struct MalformedPropertyListTests {
    @Test(.rule(39)) func `Each truncation of a sample is malformed`() throws {
        let bytes = try encoded(sample)
        for count in bytes.indices {
            #expect(malformation(of: Array(bytes[..<count])) != nil, "\(count)")
        }
    }

    /// Bytes that still decode are a value like any other, which is encoded and decoded again.
    @Test(.rule(39)) func `Each change of a single byte is malformed, or another value`()
        async throws
    {
        var bytes = try encoded(sample)
        var values = 0
        for index in bytes.indices {
            let original = bytes[index]
            for byte in UInt8.min...UInt8.max where byte != original {
                // ThreadSanitizer makes this loop slower by far, and the loop has one thread.
                if isThreadSanitized, (index + Int(byte)) % 32 != 0 { continue }
                bytes[index] = byte
                guard let value = try? decoded(bytes) else { continue }
                values += 1
                if !isSame(try decoded(try encoded(value)), value) {
                    Issue.record("\(byte) at \(index)")
                }
            }
            bytes[index] = original
            await Task.yield()
        }
        #expect(values > 0)
    }

    @Test func `A byte behind a property list is malformed`() throws {
        #expect(malformation(of: [0x02, 0x02]) == MalformedBytes(at: 1, expected: "no more bytes"))
        #expect(throws: MalformedBytes.self) { try decodedUserInfo(try encoded(sample) + [0]) }
    }

    @Test(arguments: [true, false])
    func `A dictionary with a key twice is not written as JSON, in whatever order`(
        sortsKeys: Bool
    ) throws {
        func list(_ keys: String) -> [UInt8] {
            keys.utf8.reduce(into: [0x41, UInt8(keys.utf8.count), 0, 0, 0]) { list, key in
                list += [1, 0, 0, 0, key, 0x02]
            }
        }
        func json(_ keys: String) throws -> String {
            var text = ByteWriter()
            try list(keys).withUnsafeBytes {
                _ = try PropertyListText.append($0, to: &text, sortsKeys: sortsKeys)
            }
            return text.withBytes { String(decoding: $0, as: UTF8.self) }
        }
        #expect(throws: MalformedBytes.self) { try json("aa") }
        #expect(throws: MalformedBytes.self) { try json("aba") }
        let sorted = #"{"a":true,"b":true}"#
        #expect(try json("ba") == (sortsKeys ? sorted : #"{"b":true,"a":true}"#))
        #expect(try json("ab") == sorted)
    }

    @Test func `A tag that is not in the table is malformed`() {
        let tags: [UInt8] = [
            1, 2, 0x10, 0x11, 0x12, 0x13, 0x14, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x20, 0x21, 0x30,
            0x31,
            0x32, 0x40, 0x41,
        ]
        for tag in UInt8.min...UInt8.max {
            let bytes = [tag] + Array(repeating: 0, count: 16)
            let isUnknown = malformation(of: bytes)?.expected == "a property list's tag"
            #expect(isUnknown == !tags.contains(tag), "\(tag)")
        }
        #expect(malformation(of: []) == MalformedBytes(at: 0, expected: "1 byte"))
    }

    @Test func `A userInfo that is no dictionary is malformed`() throws {
        #expect(throws: MalformedBytes(at: 0, expected: "a dictionary")) {
            try decodedUserInfo(try encoded([1]))
        }
        #expect(throws: MalformedBytes(at: 0, expected: "a property list's tag")) {
            try decodedUserInfo([0])
        }
    }

    @Test(.rule(39)) func `A payload that is no dictionary is not written as userInfo`() throws {
        for list in [try encoded([1]), [0x02], []] {
            var text = ByteWriter()
            #expect(throws: MalformedBytes(at: 0, expected: "a dictionary")) {
                try list.withUnsafeBytes { try text.append(json: $0, .propertyList) }
            }
            #expect(text.count == 0)
        }
    }

    @Test func `A key that comes twice is malformed, also in another spelling`() {
        let key: [UInt8] = [1, 0, 0, 0, 0x6b, 1]
        #expect(malformation(of: [0x41, 1, 0, 0, 0] + key) == nil)
        #expect(malformation(of: [0x41, 2, 0, 0, 0] + key + key)?.offset == 11)
        let composed: [UInt8] = [2, 0, 0, 0, 0xc3, 0xa9, 1]
        let decomposed: [UInt8] = [3, 0, 0, 0, 0x65, 0xcc, 0x81, 1]
        let both = [0x41, 2, 0, 0, 0] + composed + decomposed
        #expect(malformation(of: both)?.expected == "a key that has not come before")
        #expect(throws: MalformedBytes(at: 12, expected: "a key that has not come before")) {
            try decodedUserInfo(both)
        }
    }

    @Test func `Text that is not UTF-8 is malformed, as a value and as a key`() {
        #expect(
            malformation(of: [0x30, 1, 0, 0, 0, 0xff]) == MalformedBytes(at: 5, expected: "UTF-8"))
        #expect(malformation(of: [0x41, 1, 0, 0, 0, 1, 0, 0, 0, 0xff, 1])?.expected == "UTF-8")
    }

    @Test(
        arguments: [0x30, 0x31, 0x40, 0x41] as [UInt8], [2, 255, 65_535, UInt32.max] as [UInt32])
    func `A count of more values than can follow is malformed`(tag: UInt8, count: UInt32) {
        let bytes = [tag] + withUnsafeBytes(of: count.littleEndian) { Array($0) } + [1]
        #expect(
            malformation(of: bytes)
                == MalformedBytes(at: 1, expected: "a count that the remaining bytes can hold"))
    }

    /// Each count could be true if there were no other around it. Together, the counts would make
    /// room for 64 times as many values as there are bytes.
    @Test func `Counts inside each other that claim the same bytes are malformed`() {
        let claim: [UInt8] = [0x40, 0, 0, 8, 0]
        let many = (0..<64).flatMap { _ in claim } + Array(repeating: 1, count: 1 << 20)
        #expect(
            malformation(of: many)
                == MalformedBytes(at: 11, expected: "a count that the remaining bytes can hold"))
        // Two arrays of two values, and one of one: the remaining bytes suffice until they are
        // shared.
        #expect(malformation(of: [0x40, 2, 0, 0, 0, 0x40, 2, 0, 0, 0, 1, 1])?.offset == 6)
        #expect(malformation(of: [0x40, 2, 0, 0, 0, 0x40, 1, 0, 0, 0, 1, 1]) == nil)
        // The key of the second entry is promised as well.
        let entries: [UInt8] = [0x41, 2, 0, 0, 0, 0, 0, 0, 0, 0x40, 2, 0, 0, 0, 1, 1]
        #expect(malformation(of: entries + [1, 1, 1, 1])?.offset == 10)
    }

    @Test func `64 containers inside each other are decoded, and no more`() {
        func bytes(_ depth: Int) -> [UInt8] {
            (0..<depth).flatMap { _ in [0x40, 1, 0, 0, 0] as [UInt8] } + [1]
        }
        #expect(malformation(of: bytes(64)) == nil)
        #expect(malformation(of: bytes(65))?.offset == 64 * 5 + 1)
        #expect(malformation(of: bytes(100_000)) != nil)
        // Any number of containers may stand beside each other.
        let beside: [UInt8] = [0x40, 100, 0, 0, 0] + (0..<100).flatMap { _ in bytes(63) }
        #expect(malformation(of: beside) == nil)
    }
}
