// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Cuts what is read from a file into lines.
struct LineSplitter {
    /// What is asked for at once. Below the size at which malloc goes to the kernel for each block.
    static let chunkSize = 64 * 1024
    /// A line that grows longer than this is cut, so that a file without newlines needs no more
    /// memory than another.
    static let longestLine = 8 * 1024 * 1024

    private static let newline = Int32(UInt8(ascii: "\n"))

    private var chunk = Chunk(capacity: chunkSize)
    /// Where the line begins whose end was not read yet.
    private var start = 0
    /// Up to where there is no newline in it.
    private var searched = 0
    /// Up to where the chunk is filled.
    private var filled = 0

    /// Where to read to. Never empty.
    mutating func room() -> UnsafeMutableRawBufferPointer {
        if chunk.bytes.count - filled < Self.chunkSize / 4 { beginChunk() }
        return UnsafeMutableRawBufferPointer(rebasing: chunk.bytes[filled...])
    }

    /// Says that `count` bytes were read to where ``room()`` said.
    mutating func didRead(_ count: Int) { filled += count }

    /// The next line that is complete; nil when more must be read first.
    mutating func next() -> Line? {
        guard let base = chunk.bytes.baseAddress else { return nil }
        if let found = memchr(base + searched, Self.newline, filled - searched) {
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            defer { (start, searched) = (end + 1, end + 1) }
            return Line(chunk, from: start, to: end)
        }
        searched = filled
        return filled - start >= Self.longestLine ? takeRest() : nil
    }

    /// The last line, which has no newline; nil if there is none.
    mutating func takeRest() -> Line? {
        guard filled > start else { return nil }
        defer { (start, searched) = (filled, filled) }
        return Line(chunk, from: start, to: filled)
    }

    /// Goes on in a new chunk, with the line that is not complete: the old one belongs to its lines.
    private mutating func beginChunk() {
        let rest = filled - start
        let capacity = min(rest * 2, Self.longestLine + Self.chunkSize)
        let next = Chunk(capacity: max(Self.chunkSize, capacity))
        next.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk.bytes[start..<filled]))
        chunk = next
        (start, searched, filled) = (0, searched - start, rest)
    }
}
