// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A block of bytes read from a file, shared by many lines.
///
/// The reader goes on filling the chunk behind the lines that it has posted; their bytes never
/// change.
final class Chunk: @unchecked Sendable {
    // Sendable: only the reader writes, and only behind the posted lines.

    let bytes: UnsafeMutableRawBufferPointer

    init(capacity: Int) { bytes = .allocate(byteCount: capacity, alignment: 16) }

    deinit { bytes.deallocate() }
}

/// One line of a file, without its newline. A line refers to a part of a chunk, so that posting it
/// copies nothing.
public struct Line: Sendable {
    private let chunk: Chunk
    private let start: Int32
    private let length: Int32
    /// Whether the line goes on in the file: it is longer than ``LineSplitter/longestLine``, and this
    /// is a piece that is not the last.
    public let isCut: Bool

    init(_ chunk: Chunk, from start: Int, to end: Int, isCut: Bool = false) {
        self.chunk = chunk
        self.isCut = isCut
        self.start = Int32(start)
        length = Int32(end - start)
    }

    /// The number of bytes.
    public var count: Int { Int(length) }

    /// Calls `body` with the bytes as they stand in the file, whether UTF-8 or not.
    public func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let range = Int(start)..<Int(start + length)
        return try withExtendedLifetime(chunk) {
            try body(UnsafeRawBufferPointer(rebasing: chunk.bytes[range]))
        }
    }
}
