// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// Reads lines from a pipe, and blocks its thread while none is there.
struct LineReader {
    /// The longest line in bytes: the largest payload of 16 MiB, as base64, and a bit more. Without
    /// a limit, a line without an end would take all memory.
    static let longest = 32 << 20

    /// The number of the line that is read, for errors.
    private(set) var count = 0
    private let input: FileHandle
    private var buffer: [UInt8] = []
    /// The index in the buffer at which the next line begins.
    private var start = 0

    init(_ input: FileHandle) { self.input = input }

    /// Returns the next line; nil once the other process has closed its end.
    mutating func next() throws -> Data? {
        count += 1
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Data(buffer[start..<end])
            }
            if buffer.count - start > Self.longest {
                throw WireError("it is longer than \(Self.longest) bytes")
            }
            buffer.removeFirst(start)
            (start, searched) = (0, buffer.count)
            if try !fill() { return nil }
        }
    }

    private mutating func fill() throws -> Bool {
        let bytes = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { chunk, count in
            var result = -1
            repeat {
                result = read(input.fileDescriptor, chunk.baseAddress, chunk.count)
            } while result < 0 && errno == EINTR
            if result < 0 { throw WireError("reading failed: \(String(cString: strerror(errno)))") }
            count = result
        }
        if bytes.isEmpty, !buffer.isEmpty { throw WireError("it is cut off") }
        buffer += bytes
        return !bytes.isEmpty
    }
}
