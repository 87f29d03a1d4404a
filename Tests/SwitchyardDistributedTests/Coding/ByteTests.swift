// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed
import SwitchyardWire
import Testing

@Suite("Bytes, written and read") struct ByteTests {
    private func bytes(_ writer: borrowing ByteWriter) -> [UInt8] { writer.withBytes { Array($0) } }

    /// Calls `body` with a reader of the bytes.
    private func read<Result>(
        _ bytes: [UInt8], _ body: (inout ByteReader) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try body(&reader)
        }
    }

    @Test func `Numbers are little-endian, wherever they stand`() throws {
        var writer = ByteWriter()
        writer.append(UInt8(1))
        writer.append(UInt16(0x0203))
        writer.append(UInt32(0x0405_0607))
        writer.append(UInt64(0x0809_0a0b_0c0d_0e0f))
        #expect(bytes(writer) == [1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8])
        try read(bytes(writer)) { reader in
            #expect(try reader.readUInt8() == 1)
            #expect(try reader.readUInt16() == 0x0203)
            #expect(try reader.readUInt32() == 0x0405_0607)
            #expect(try reader.readUInt64() == 0x0809_0a0b_0c0d_0e0f)
            try reader.expectEnd()
        }
    }

    @Test func `A writer grows and keeps what it has`() {
        var writer = ByteWriter()
        for number in 0..<100_000 { writer.append(UInt32(number)) }
        #expect(writer.count == 400_000)
        writer.reserve(1_000_000)
        let isKept = writer.withBytes { bytes in
            (0..<100_000).allSatisfy {
                bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) == UInt32($0)
            }
        }
        #expect(isKept)
    }

    @Test(arguments: ["", "a", "fifteen bytes..", "sixteen bytes...", "Straße 🚃", "\u{0}\u{feff}"])
    func `A string is written as its UTF-8`(string: String) throws {
        var writer = ByteWriter()
        writer.append(string: string)
        #expect(bytes(writer) == Array(string.utf8))
        let again = try read(bytes(writer)) { try $0.readString(count: string.utf8.count) }
        #expect(again.utf8.elementsEqual(string.utf8))
    }

    @Test func `Bytes are appended as they are, also when there are none`() {
        var writer = ByteWriter()
        [1, 2, 3].withUnsafeBytes {
            writer.append(bytes: UnsafeRawBufferPointer(rebasing: $0[..<2]))
        }
        writer.append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(bytes(writer) == [1, 0])
    }

    @Test func `Appended bytes can be patched, cut off and forgotten`() {
        var writer = ByteWriter()
        writer.append(UInt64.max)
        writer.patch(0x0102_0304, at: 2)
        #expect(bytes(writer) == [255, 255, 4, 3, 2, 1, 255, 255])
        writer.patch(UInt32(0), at: 4)
        writer.truncate(to: 5)
        #expect(bytes(writer) == [255, 255, 4, 3, 0])
        for keeps in [true, false, false] {
            writer.removeAll(keepingCapacity: keeps)
            #expect(writer.count == 0)
            writer.append(string: String(repeating: "x", count: 1000))
            #expect(bytes(writer) == Array(repeating: 0x78, count: 1000))
        }
    }

    @Test func `Patching bytes that were not appended stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.append(UInt32(0))
            writer.patch(UInt32(1), at: 1)
        }
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.truncate(to: 1)
        }
    }

    @Test func `A read past the end fails, says where, and reads nothing`() throws {
        try read([1, 2, 3, 4, 5, 6, 7]) { (reader: inout ByteReader) throws in
            #expect(throws: MalformedBytes(at: 0, expected: "8 bytes")) { try reader.readUInt64() }
            #expect(try reader.readUInt32() == 0x0403_0201)
            #expect(throws: MalformedBytes(at: 4, expected: "4 bytes")) { try reader.readUInt32() }
            #expect(throws: MalformedBytes.self) { try reader.readBytes(count: 4) }
            #expect(throws: MalformedBytes.self) { try reader.readBytes(count: -1) }
            #expect(throws: MalformedBytes.self) { try reader.readBytes(count: .max) }
            #expect(throws: MalformedBytes(at: 4, expected: "no more bytes")) {
                try reader.expectEnd()
            }
            #expect(try reader.readUInt16() == 0x0605)
            #expect(throws: MalformedBytes(at: 6, expected: "2 bytes")) { try reader.readUInt16() }
            #expect(try reader.readUInt8() == 7)
            #expect(throws: MalformedBytes(at: 7, expected: "1 byte")) { try reader.readUInt8() }
            #expect(reader.remaining == 0)
        }
        let error = MalformedBytes(at: 7, expected: "1 byte")
        #expect("\(error)" == "malformed: at byte 7, expected 1 byte")
    }

    @Test func `A slice ends where it ends, and counts from the first byte`() throws {
        try read([0, 1, 2, 3, 4, 5]) { reader in
            _ = try reader.readUInt16()
            var slice = try reader.readSlice(count: 3)
            #expect(try slice.readUInt8() == 2)
            var inner = try slice.readSlice(count: 2)
            #expect(throws: MalformedBytes(at: 3, expected: "4 bytes")) { try inner.readUInt32() }
            #expect(try inner.readUInt16() == 0x0403)
            #expect(inner.remaining == 0 && inner.offset == 5 && inner.position == 2)
            #expect(try reader.readUInt8() == 5)
        }
    }

    @Test func `A count is checked against what can follow`() throws {
        try read([2, 0, 0, 0, 1, 2, 3]) { (reader: inout ByteReader) throws in
            #expect(throws: MalformedBytes.self) { try reader.readCount(ofSize: 2) }
            #expect(throws: MalformedBytes.self) { try reader.readCount(promised: 2) }
            #expect(throws: MalformedBytes.self) { try reader.readCount(promised: 20) }
            #expect(reader.position == 0)
            #expect(try reader.readCount(promised: 1) == 2)
        }
        let most = Array(repeating: UInt8.max, count: 16)
        read(most) { reader in
            #expect(throws: MalformedBytes.self) { try reader.readCount() }
            #expect(throws: MalformedBytes.self) { try reader.readCount(ofSize: .max) }
            #expect(throws: MalformedBytes.self) { try reader.readCountedString() }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xc0, 0x80], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80],
            [0xf4, 0x90, 0x80, 0x80],
            [0xf8, 0x88, 0x80, 0x80, 0x80], [0xff], [0x61, 0xfe, 0x62], [0xf0, 0x80, 0x80, 0x80],
            Array(repeating: 0x61, count: 40) + [0xbf],
            // These texts are as long as their repair would be.
            [0xf0, 0x90, 0x80], [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
        ] as [[UInt8]])
    func `Bytes that are not UTF-8 are not repaired`(text: [UInt8]) {
        read(text) { reader in
            #expect(throws: MalformedBytes(at: 0, expected: "UTF-8")) {
                try reader.readString(count: text.count)
            }
            #expect(reader.position == 0)
        }
        read([UInt8(text.count), 0, 0, 0] + text) { reader in
            #expect(throws: MalformedBytes(at: 4, expected: "UTF-8")) {
                try reader.readCountedString()
            }
            #expect(reader.position == 0)
        }
    }

    @Test func `The replacement character itself is UTF-8`() throws {
        let text: [UInt8] = [0xef, 0xbf, 0xbd]
        #expect(try read(text) { try $0.readString(count: 3) } == "\u{fffd}")
    }
}
