// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Reads what a ``ByteWriter`` wrote, or what somebody claims that one wrote: every read is checked
/// against the bytes that are there, and allocates nothing (but for the strings it gives out).
///
/// A read that fails leaves the reader where it was.
package struct ByteReader {
    /// Not owned: valid for as long as the caller's bytes are, and so are the reader and whatever
    /// pointers it gives out.
    private let bytes: UnsafeRawBufferPointer
    /// Where these bytes begin in those that the first reader was made for: for errors.
    private let origin: Int

    /// How many bytes were read.
    package private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes, origin: 0)
    }

    private init(_ bytes: UnsafeRawBufferPointer, origin: Int) {
        self.bytes = bytes
        self.origin = origin
    }

    /// How many bytes are left.
    package var remaining: Int { bytes.count - position }

    /// Where the next byte stands, also in a slice counted from the first of all bytes.
    package var offset: Int { origin + position }

    /// The error that says what should stand here.
    package func malformed(expected: String) -> MalformedBytes {
        MalformedBytes(at: offset, expected: expected)
    }

    package mutating func readUInt8() throws(MalformedBytes) -> UInt8 {
        try readInteger(expected: "1 byte")
    }

    package mutating func readUInt16() throws(MalformedBytes) -> UInt16 {
        try readInteger(expected: "2 bytes")
    }

    package mutating func readUInt32() throws(MalformedBytes) -> UInt32 {
        try readInteger(expected: "4 bytes")
    }

    package mutating func readUInt64() throws(MalformedBytes) -> UInt64 {
        try readInteger(expected: "8 bytes")
    }

    /// Reads a count of things that follow.
    ///
    /// - Parameters:
    ///   - size: the fewest bytes that one of them takes.
    ///   - promised: bytes at the end that are already spoken for.
    /// - Throws: if so many can't follow, so that a count is safe to make room for.
    package mutating func readCount(
        ofSize size: Int = 1, promised: Int = 0
    ) throws(MalformedBytes) -> Int {
        let start = position
        let count = try readUInt32()
        guard UInt64(count) <= UInt64(max(remaining - promised, 0) / size) else {
            position = start
            throw malformed(expected: "a count of no more than can follow")
        }
        return Int(count)
    }

    /// Reads bytes, without a copy: they are where the reader's are.
    package mutating func readBytes(
        count: Int
    ) throws(MalformedBytes) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            throw malformed(expected: "more bytes than are left")
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// A reader of the next `count` bytes alone; this one goes on behind them.
    package mutating func readSlice(count: Int) throws(MalformedBytes) -> ByteReader {
        let start = offset
        return ByteReader(try readBytes(count: count), origin: start)
    }

    /// Reads a string of `count` bytes, which must be UTF-8 to the letter: nothing is repaired.
    package mutating func readString(count: Int) throws(MalformedBytes) -> String {
        let start = position
        let text = try readBytes(count: count)
        let string = String(decoding: text, as: UTF8.self)
        // What is no UTF-8 is repaired, and then is not what it was. `String(validating:as:)` would
        // ask the same, but looks up the metadata of generic types at each call.
        guard string.hasUTF8(text) else {
            position = start
            throw malformed(expected: "UTF-8")
        }
        return string
    }

    /// Reads a string with its count before it.
    package mutating func readCountedString() throws(MalformedBytes) -> String {
        let start = position
        let count = try readCount()
        do throws(MalformedBytes) {
            return try readString(count: count)
        } catch {
            position = start
            throw error
        }
    }

    /// Fails if anything is left.
    package func expectEnd() throws(MalformedBytes) {
        guard remaining == 0 else { throw malformed(expected: "no more bytes") }
    }

    @inline(__always)
    private mutating func readInteger<Value: FixedWidthInteger & BitwiseCopyable>(
        expected: @autoclosure () -> String
    ) throws(MalformedBytes) -> Value {
        let size = MemoryLayout<Value>.size
        guard size <= remaining else { throw malformed(expected: expected()) }
        defer { position += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }
}

extension String {
    /// Whether these very bytes are the string's UTF-8.
    fileprivate func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count == bytes.count else { return false }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true
        }
        return isSame ?? utf8.elementsEqual(bytes)
    }
}
