// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The position at which following begins in a file that exists at the start.
enum StartPosition: Sendable {
    case beginning
    case lastLines(Int)

    /// Moves `file`, which was just opened, to the position.
    func apply(to file: OpenFile) {
        guard case .lastLines(let count) = self, file.status.isRegular else { return }
        file.seek(to: Self.position(ofLast: count, in: file))
    }

    /// Searches the file backwards, block by block, for the newline before the last `count` lines.
    private static func position(ofLast count: Int, in file: OpenFile) -> Int {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { block.deallocate() }
        var end = file.status.size
        // A newline at the very end ends the last line, and begins none.
        var left = endsWithNewline(file) ? count + 1 : count
        if left == 0 { return end }
        while end > 0 {
            let start = max(0, end - block.count)
            let part = UnsafeMutableRawBufferPointer(rebasing: block[..<(end - start)])
            guard file.peek(at: start, into: part) else { return end }
            for offset in part.indices.reversed() where part[offset] == UInt8(ascii: "\n") {
                left -= 1
                if left == 0 { return start + offset + 1 }
            }
            end = start
        }
        return 0
    }

    private static func endsWithNewline(_ file: OpenFile) -> Bool {
        var last: UInt8 = 0
        let isThere = withUnsafeMutableBytes(of: &last) { last in
            file.status.size > 0 && file.peek(at: file.status.size - 1, into: last)
        }
        return isThere && last == UInt8(ascii: "\n")
    }
}
