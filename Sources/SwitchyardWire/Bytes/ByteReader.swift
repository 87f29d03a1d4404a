// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A reader of bytes that a ``ByteWriter`` wrote, or that a sender claims it wrote. Each read is
/// checked against the bytes that are there, and allocates nothing except the strings that it
/// returns.
///
/// A read that fails leaves the reader where it was.
@usableFromInline
package struct ByteReader {
    /// The bytes, not owned: the reader, and the pointers that it returns, are valid for as long as
    /// the caller's bytes are.
    @usableFromInline let bytes: UnsafeRawBufferPointer
    /// The position of these bytes in those of the first reader, for errors.
    @usableFromInline let origin: Int

    /// The number of bytes that were read.
    @usableFromInline package internal(set) var position = 0

    @inlinable package init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes, origin: 0)
    }

    @inlinable init(_ bytes: UnsafeRawBufferPointer, origin: Int) {
        self.bytes = bytes
        self.origin = origin
    }

    /// The number of bytes that are left.
    @inlinable package var remaining: Int { bytes.count - position }

    /// The position of the next byte, in a slice also counted from the first reader's first byte.
    @inlinable package var offset: Int { origin + position }

    /// Returns an error that says what was expected at this position.
    @usableFromInline package func malformed(expected: String) -> MalformedBytes {
        MalformedBytes(at: offset, expected: expected)
    }

    @inlinable package mutating func readUInt8() throws(MalformedBytes) -> UInt8 {
        try readInteger(expected: "1 byte")
    }

    @inlinable package mutating func readUInt16() throws(MalformedBytes) -> UInt16 {
        try readInteger(expected: "2 bytes")
    }

    @inlinable package mutating func readUInt32() throws(MalformedBytes) -> UInt32 {
        try readInteger(expected: "4 bytes")
    }

    @inlinable package mutating func readUInt64() throws(MalformedBytes) -> UInt64 {
        try readInteger(expected: "8 bytes")
    }

    /// Reads the count of the items that follow.
    ///
    /// - Parameters:
    ///   - size: The fewest bytes that an item takes.
    ///   - promised: The number of bytes at the end that other items need.
    /// - Throws: ``MalformedBytes`` if so many items can't follow. A returned count is safe to
    ///   reserve memory for.
    @inlinable package mutating func readCount(
        ofSize size: Int = 1, promised: Int = 0
    ) throws(MalformedBytes) -> Int {
        let start = position
        let count = try readUInt32()
        guard UInt64(count) <= UInt64(max(remaining - promised, 0) / size) else {
            position = start
            throw malformed(expected: "a count that the remaining bytes can hold")
        }
        return Int(count)
    }

    /// Reads bytes, without a copy: the result points into the reader's bytes.
    @inlinable package mutating func readBytes(
        count: Int
    ) throws(MalformedBytes) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            throw malformed(expected: "more bytes than are left")
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// Returns a reader of the next `count` bytes alone, and skips them.
    @inlinable package mutating func readSlice(count: Int) throws(MalformedBytes) -> ByteReader {
        let start = offset
        return ByteReader(try readBytes(count: count), origin: start)
    }

    /// Reads a string of `count` bytes, which must be valid UTF-8: nothing is repaired.
    @usableFromInline package mutating func readString(count: Int) throws(MalformedBytes) -> String
    {
        let start = position
        let text = try readBytes(count: count)
        let string = String(decoding: text, as: UTF8.self)
        // Decoding repairs malformed UTF-8, and the bytes then differ. `String(validating:as:)`
        // would check the same, but looks up the metadata of generic types at each call.
        guard string.hasUTF8(text) else {
            position = start
            throw malformed(expected: "UTF-8")
        }
        return string
    }

    /// Reads a string with its count before it.
    @usableFromInline package mutating func readCountedString() throws(MalformedBytes) -> String {
        let start = position
        let count = try readCount()
        do throws(MalformedBytes) {
            return try readString(count: count)
        } catch {
            position = start
            throw error
        }
    }

    /// Throws if any bytes are left.
    @inlinable package func expectEnd() throws(MalformedBytes) {
        guard remaining == 0 else { throw malformed(expected: "no more bytes") }
    }

    @inlinable @inline(__always)
    mutating func readInteger<Value: FixedWidthInteger & BitwiseCopyable>(
        expected: @autoclosure () -> String
    ) throws(MalformedBytes) -> Value {
        let size = MemoryLayout<Value>.size
        guard size <= remaining else { throw malformed(expected: expected()) }
        defer { position += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }
}

extension String {
    /// Whether the string's UTF-8 is exactly these bytes.
    fileprivate func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count == bytes.count else { return false }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true
        }
        return isSame ?? utf8.elementsEqual(bytes)
    }
}
