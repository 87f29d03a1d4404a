// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A splitter of a file's bytes into lines.
public struct LineSplitter {
    /// The number of bytes to read at once. Below the size at which malloc asks the kernel for each
    /// block.
    static let chunkSize = 64 * 1024
    /// The length at which a line is cut, so that a file without newlines needs no more memory than
    /// another. Four times as much, which a line that is not UTF-8 takes, fits into a notification.
    public static let longestLine = 3 * 1024 * 1024

    private static let newline = Int32(UInt8(ascii: "\n"))

    private var chunk = Chunk(capacity: chunkSize)
    /// The start of the line whose end has not been read yet.
    private var start = 0
    /// The position up to which the line has no newline.
    private var searched = 0
    /// The position up to which the chunk is filled.
    private var filled = 0

    /// Creates a splitter that has read nothing.
    public init() {}

    /// Returns the space to read into. Never empty.
    public mutating func room() -> UnsafeMutableRawBufferPointer {
        if chunk.bytes.count - filled < Self.chunkSize / 4 { beginChunk() }
        return UnsafeMutableRawBufferPointer(rebasing: chunk.bytes[filled...])
    }

    /// Notes that `count` bytes were read into the space from ``room()``.
    public mutating func didRead(_ count: Int) { filled += count }

    /// Returns the next complete line, or ``longestLine`` bytes of a longer one; nil when more must
    /// be read first.
    public mutating func next() -> Line? {
        guard let base = chunk.bytes.baseAddress else { return nil }
        let limit = start + Self.longestLine
        // One byte more than the longest line: its newline may be behind it.
        let end = min(filled, limit + 1)
        if let found = memchr(base + searched, Self.newline, end - searched) {
            let newline = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            return take(upTo: newline, next: newline + 1)
        }
        searched = end
        if end <= limit { return nil }
        let cut = beginOfCharacter(at: limit)
        return take(upTo: cut, next: cut, isCut: true)
    }

    /// The beginning of the character of UTF-8 that has a byte at `position`; `position` itself if
    /// there is no such character.
    private func beginOfCharacter(at position: Int) -> Int {
        let begin = (position - 3...position).last { chunk.bytes[$0] & 0xC0 != 0x80 }
        return begin ?? position
    }

    /// Returns the last line, which has no newline; nil if there is none.
    public mutating func takeRest() -> Line? {
        filled > start ? take(upTo: filled, next: filled) : nil
    }

    private mutating func take(upTo end: Int, next: Int, isCut: Bool = false) -> Line {
        defer { (start, searched) = (next, next) }
        return Line(chunk, from: start, to: end, isCut: isCut)
    }

    /// Moves the incomplete line into a new chunk. The old chunk belongs to its lines.
    private mutating func beginChunk() {
        let rest = filled - start
        let capacity = min(rest * 2, Self.longestLine + Self.chunkSize)
        let next = Chunk(capacity: max(Self.chunkSize, capacity))
        next.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk.bytes[start..<filled]))
        chunk = next
        (start, searched, filled) = (0, searched - start, rest)
    }
}
