// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftParser
import SwiftSyntax

/// A Swift source with its syntax tree. Offsets count UTF-8 bytes from the beginning of the tree's
/// text, which leaves out a byte order mark.
final class SourceFile {
    let path: String
    /// The text's bytes, without a byte order mark.
    let bytes: [UInt8]
    let hasByteOrderMark: Bool
    let tree: SourceFileSyntax
    /// The line ending to write: that of the first line.
    let newline: String
    /// The offset at which each line begins.
    let lineStarts: [Int]
    /// Whether Apple's systems compile the file, too, and have Switchyard's center then.
    let isForApple: Bool
    /// The code in branches of `#if` that none of the file's systems compiles.
    private lazy var leftOut = isForApple ? [] : AppleBranches.all(in: tree)

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Parses a file; nil if the bytes are not UTF-8.
    init?(path: String, contents: [UInt8], isForApple: Bool = false) {
        self.path = path
        self.isForApple = isForApple
        hasByteOrderMark = contents.starts(with: Self.byteOrderMark)
        bytes = hasByteOrderMark ? Array(contents.dropFirst(3)) : contents
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            starts.append(offset + 1)
        }
        lineStarts = starts
        let firstEnd = starts.count > 1 ? starts[1] : 0
        newline = firstEnd >= 2 && bytes[firstEnd - 2] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    /// Whether the parser had to guess: such a file is left as it is.
    var hasSyntaxError: Bool { tree.hasError }

    /// Whether a node stands in a branch of `#if` that none of the file's systems compiles.
    func leavesOut(_ node: some SyntaxProtocol) -> Bool {
        let offset = node.positionAfterSkippingLeadingTrivia.utf8Offset
        return leftOut.contains { $0.contains(offset) }
    }

    /// Whether one of some texts stands anywhere in the file.
    func mentions(_ texts: [String]) -> Bool {
        let patterns = texts.map { Array($0.utf8) }
        return bytes.indices.contains { start in
            patterns.contains { bytes[start] == $0[0] && bytes[start...].starts(with: $0) }
        }
    }

    /// The text between two offsets.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// The line and column of an offset, both from one. Columns count UTF-8 bytes, as the compiler
    /// does.
    func position(_ offset: Int) -> (line: Int, column: Int) {
        let line = lineIndex(of: offset)
        var column = offset - lineStarts[line] + 1
        if line == 0, hasByteOrderMark { column += Self.byteOrderMark.count }
        return (line + 1, column)
    }

    /// The number of the line that holds an offset, from zero.
    func lineIndex(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The spaces and tabs with which the line of an offset begins.
    func indentation(at offset: Int) -> String {
        let start = lineStarts[lineIndex(of: offset)]
        let end =
            bytes[start...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            ?? bytes.count
        return text(start..<end)
    }

    /// Whether only spaces and tabs stand before an offset on its line.
    func isFirstOnLine(_ offset: Int) -> Bool {
        let start = lineStarts[lineIndex(of: offset)]
        return bytes[start..<offset].allSatisfy {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
    }

    /// The file's bytes after edits that don't overlap.
    func applying(_ edits: [Edit]) -> [UInt8] {
        var result: [UInt8] = hasByteOrderMark ? Self.byteOrderMark : []
        var copied = 0
        for edit in edits.sorted() {
            result += bytes[copied..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            copied = edit.range.upperBound
        }
        return result + bytes[copied...]
    }
}

extension SyntaxProtocol {
    /// The offsets of the node without the trivia around it.
    var range: Range<Int> {
        let start = positionAfterSkippingLeadingTrivia.utf8Offset
        return start..<max(start, endPositionBeforeTrailingTrivia.utf8Offset)
    }

    /// The nodes around this one, from the inside out.
    var ancestors: some Sequence<Syntax> {
        sequence(first: parent, next: { $0?.parent }).lazy.compactMap { $0 }
    }
}
