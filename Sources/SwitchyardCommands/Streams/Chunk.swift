// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Bytes read from a file, which many lines share.
///
/// Its reader goes on filling it behind the lines that it has posted: their bytes never change.
final class Chunk: @unchecked Sendable {
    // Sendable: only the reader writes, and only where no posted line lies.

    let bytes: UnsafeMutableRawBufferPointer

    init(capacity: Int) { bytes = .allocate(byteCount: capacity, alignment: 16) }

    deinit { bytes.deallocate() }
}

/// One line of a file, without its newline: a piece of a chunk, so that posting a line copies none
/// of it.
struct Line: Sendable {
    private let chunk: Chunk
    private let start: Int32
    private let length: Int32

    init(_ chunk: Chunk, from start: Int, to end: Int) {
        self.chunk = chunk
        self.start = Int32(start)
        length = Int32(end - start)
    }

    /// How many bytes it has.
    var count: Int { Int(length) }

    /// Calls `body` with the bytes as they stand in the file, UTF-8 or not.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let range = Int(start)..<Int(start + length)
        return try withExtendedLifetime(chunk) {
            try body(UnsafeRawBufferPointer(rebasing: chunk.bytes[range]))
        }
    }
}
