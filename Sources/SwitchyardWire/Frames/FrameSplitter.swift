// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A splitter that cuts a stream of bytes, in whatever pieces they come, into frames.
///
/// A frame that comes in one piece is used without a copy. A frame that is spread over several
/// pieces is put together, in memory that grows with the bytes that have come, never with the
/// announced length.
@usableFromInline
package struct FrameSplitter: ~Copyable, Sendable {
    /// The longest frame that is accepted, without its length.
    @usableFromInline package var limit: Int
    @usableFromInline var partial = ByteWriter()
    /// The length of the frame in `partial`, with its length field, once it is known.
    @usableFromInline var expected: Int?

    @inlinable package init(limit: Int = WireFormat.longestGreeting) { self.limit = limit }

    /// Whether a frame has begun and not ended.
    @inlinable package var isInsideFrame: Bool { partial.count > 0 }

    /// Takes the next bytes of the stream, and calls `body` with each frame that they complete,
    /// without its length. The bytes are valid during the call.
    @inlinable package mutating func take(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (inout FrameSplitter, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes
        if isInsideFrame, try !complete(from: &rest, body) { return }
        guard var next = rest.baseAddress else { return }
        // The rest is `next..<end`. Each frame is checked to be within it before it is used.
        let end = next + rest.count
        while end - next >= WireFormat.lengthBytes {
            let length = try checkedLength(UnsafeRawBufferPointer(start: next, count: end - next))
            if end - next - WireFormat.lengthBytes < length { break }
            let frame = UnsafeRawBufferPointer(
                start: next + WireFormat.lengthBytes, count: length)
            try body(&self, frame)
            next += WireFormat.lengthBytes + length
        }
        if next < end {
            partial.append(bytes: UnsafeRawBufferPointer(start: next, count: end - next))
        }
    }

    /// Continues the frame that has begun.
    ///
    /// - Returns: Whether the frame is complete.
    @usableFromInline mutating func complete(
        from rest: inout UnsafeRawBufferPointer,
        _ body: (inout FrameSplitter, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        if expected == nil {
            move(upTo: WireFormat.lengthBytes, from: &rest)
            if partial.count < WireFormat.lengthBytes { return false }
            expected = try partial.withBytes { try checkedLength($0) } + WireFormat.lengthBytes
        }
        guard let end = expected else { return false }
        move(upTo: end, from: &rest)
        if partial.count < end { return false }
        // The frame is taken out first, so that `body` may change `self`.
        var frame = ByteWriter()
        swap(&frame, &partial)
        expected = nil
        try frame.withBytes { bytes in
            try body(&self, UnsafeRawBufferPointer(rebasing: bytes[WireFormat.lengthBytes...]))
        }
        return true
    }

    private mutating func move(upTo count: Int, from rest: inout UnsafeRawBufferPointer) {
        let missing = max(0, min(count - partial.count, rest.count))
        partial.append(bytes: UnsafeRawBufferPointer(rebasing: rest[..<missing]))
        rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
    }

    @inlinable func checkedLength(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        if length == 0 { throw WireError("a frame of no bytes") }
        if length > limit {
            throw WireError("a frame of \(length) bytes, where \(limit) are allowed")
        }
        return length
    }
}
