// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A growing buffer of bytes to be sent or kept. All numbers are little-endian.
///
/// Not an `Array` or `Data`: nothing is filled with zeros first, appends check no uniqueness, and
/// the buffer can be emptied without giving its memory back.
@usableFromInline
package struct ByteWriter: ~Copyable, @unchecked Sendable {
    // Sendable: the memory has one owner, which can't be copied.

    /// The memory, `capacity` bytes of which the first `count` are written. Allocated by `malloc`,
    /// so that `realloc` can let it grow in place.
    @usableFromInline var memory: UnsafeMutableRawPointer
    @usableFromInline package internal(set) var capacity: Int

    /// The number of bytes that were appended.
    @usableFromInline package internal(set) var count = 0

    /// The fewest bytes that are allocated.
    @inlinable static var smallestCapacity: Int { 64 }

    @inlinable package init(capacity: Int = 0) {
        self.capacity = max(capacity, Self.smallestCapacity)
        memory = Self.resize(nil, to: self.capacity)
    }

    deinit { free(memory) }

    /// Makes room for at least `additional` bytes, so that appending them moves nothing.
    @inlinable package mutating func reserve(_ additional: Int) {
        if capacity - count < additional { grow(by: additional) }
    }

    @inlinable package mutating func append(_ value: UInt8) { appendInteger(value) }
    @inlinable package mutating func append(_ value: UInt16) { appendInteger(value) }
    @inlinable package mutating func append(_ value: UInt32) { appendInteger(value) }
    @inlinable package mutating func append(_ value: UInt64) { appendInteger(value) }

    @inlinable package mutating func append(bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        extend(by: bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Appends a string's UTF-8, without its count.
    @usableFromInline package mutating func append(string: String) {
        let isDone: Void? = string.utf8.withContiguousStorageIfAvailable {
            append(bytes: UnsafeRawBufferPointer($0))
        }
        guard isDone == nil else { return }
        // The string is Objective-C's, in another encoding.
        var string = string
        string.withUTF8 { append(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Overwrites four bytes that were appended before: for a count that is known only later.
    @inlinable package mutating func patch(_ value: UInt32, at offset: Int) {
        precondition(
            offset >= 0 && offset <= count - MemoryLayout<UInt32>.size,
            "only bytes that were appended can be patched")
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Overwrites eight bytes that were appended before.
    @inlinable package mutating func patch(sequence value: UInt64, at offset: Int) {
        precondition(
            offset >= 0 && offset <= count - MemoryLayout<UInt64>.size,
            "only bytes that were appended can be patched")
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Removes the bytes behind the first `count`.
    @inlinable package mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count, "a writer can't be truncated to more")
        self.count = count
    }

    /// Removes all bytes.
    @inlinable package mutating func removeAll(keepingCapacity keepsCapacity: Bool = false) {
        count = 0
        guard !keepsCapacity, capacity > Self.smallestCapacity else { return }
        capacity = Self.smallestCapacity
        memory = Self.resize(memory, to: capacity)
    }

    /// Calls `body` with all bytes. They are valid until it returns.
    @inlinable package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }
}

extension ByteWriter {
    @inlinable @inline(__always)
    mutating func appendInteger<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        extend(by: MemoryLayout<Value>.size).storeBytes(of: value.littleEndian, as: Value.self)
    }

    /// Counts `size` bytes as written, and returns their position. The caller has to write all of
    /// them before it uses the writer again.
    @inlinable @inline(__always)
    mutating func extend(by size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        defer { count += size }
        return memory + count
    }

    @usableFromInline @inline(never)
    mutating func grow(by additional: Int) {
        capacity = max(capacity * 2, count + additional)
        memory = Self.resize(memory, to: capacity)
    }

    @usableFromInline static func resize(
        _ memory: UnsafeMutableRawPointer?, to size: Int
    ) -> UnsafeMutableRawPointer {
        guard let memory = realloc(memory, size) else { fatalError("no memory for \(size) bytes") }
        return memory
    }
}
