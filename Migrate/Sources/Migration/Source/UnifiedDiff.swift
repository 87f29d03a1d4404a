// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The difference that edits make to a file, as `diff -u` prints it and `patch` reads it.
struct UnifiedDiff {
    private static let context = 3

    /// Lines of the old text that new text replaces.
    private struct Change {
        var lines: Range<Int>
        var replacement: [Substring]
    }

    let file: SourceFile
    let edits: [Edit]

    /// The lines of the diff; nothing without edits.
    func text() -> String {
        let changes = changedLines()
        guard !changes.isEmpty else { return "" }
        var text = "--- a/\(file.path)\n+++ b/\(file.path)\n"
        var shift = 0
        for hunk in hunks(changes) {
            text += format(hunk, shift: &shift)
        }
        return text
    }

    /// The numbers of lines that the diff adds and removes.
    func count() -> (added: Int, removed: Int) {
        changedLines().reduce(into: (0, 0)) {
            $0.0 += $1.replacement.count
            $0.1 += $1.lines.count
        }
    }

    private var lineCount: Int {
        // The text behind the last line ending is a line unless it is empty.
        file.lineStarts.count - (file.lineStarts.last == file.bytes.count ? 1 : 0)
    }

    private func line(_ index: Int) -> Substring {
        let end = index + 1 < file.lineStarts.count ? file.lineStarts[index + 1] : file.bytes.count
        var text = file.text(file.lineStarts[index]..<end)[...]
        if index == 0, file.hasByteOrderMark { text = "\u{FEFF}" + text }
        return text
    }

    private func changedLines() -> [Change] {
        var changes: [Change] = []
        var pending: [Edit] = []
        var lines = 0..<0
        func flush() {
            guard !pending.isEmpty else { return }
            changes.append(trimmed(Change(lines: lines, replacement: replaced(lines, pending))))
            pending = []
        }
        for edit in edits.sorted() {
            let first = file.lineIndex(of: edit.range.lowerBound)
            let last = max(first, file.lineIndex(of: max(edit.range.upperBound - 1, 0)))
            let touched = first..<min(last + 1, lineCount)
            if !pending.isEmpty, touched.lowerBound < lines.upperBound {
                lines = lines.lowerBound..<max(lines.upperBound, touched.upperBound)
            } else {
                flush()
                lines = min(touched.lowerBound, touched.upperBound)..<touched.upperBound
            }
            pending.append(edit)
        }
        flush()
        return changes.filter { !$0.lines.isEmpty || !$0.replacement.isEmpty }.reduce(into: []) {
            // Lines that follow each other change together.
            if let last = $0.last, last.lines.upperBound == $1.lines.lowerBound {
                $0[$0.count - 1] = Change(
                    lines: last.lines.lowerBound..<$1.lines.upperBound,
                    replacement: last.replacement + $1.replacement)
            } else {
                $0.append($1)
            }
        }
    }

    /// The text of old lines after their edits, in lines.
    private func replaced(_ lines: Range<Int>, _ edits: [Edit]) -> [Substring] {
        let start =
            lines.lowerBound < file.lineStarts.count
            ? file.lineStarts[lines.lowerBound] : file.bytes.count
        let end =
            lines.upperBound < file.lineStarts.count
            ? file.lineStarts[lines.upperBound] : file.bytes.count
        var bytes: [UInt8] =
            lines.lowerBound == 0 && file.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []
        var copied = start
        for edit in edits {
            bytes += file.bytes[copied..<edit.range.lowerBound]
            bytes += Array(edit.text.utf8)
            copied = edit.range.upperBound
        }
        if copied < end { bytes += file.bytes[copied..<end] }
        return Self.lines(bytes)
    }

    private static func lines(_ bytes: [UInt8]) -> [Substring] {
        var lines: [Substring] = []
        var start = 0
        for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(String(decoding: bytes[start...offset], as: UTF8.self)[...])
            start = offset + 1
        }
        if start < bytes.count {
            lines.append(String(decoding: bytes[start...], as: UTF8.self)[...])
        }
        return lines
    }

    /// The change without lines at both ends that stay as they are.
    private func trimmed(_ change: Change) -> Change {
        var change = change
        while let first = change.lines.first, change.replacement.first == line(first) {
            change.lines.removeFirst()
            change.replacement.removeFirst()
        }
        while let last = change.lines.last, change.replacement.last == line(last) {
            change.lines.removeLast()
            change.replacement.removeLast()
        }
        return change
    }

    /// Groups changes that are near each other.
    private func hunks(_ changes: [Change]) -> [[Change]] {
        changes.reduce(into: []) { hunks, change in
            if let last = hunks.last?.last,
                change.lines.lowerBound - last.lines.upperBound <= 2 * Self.context
            {
                hunks[hunks.count - 1].append(change)
            } else {
                hunks.append([change])
            }
        }
    }

    private func format(_ hunk: [Change], shift: inout Int) -> String {
        guard let first = hunk.first, let last = hunk.last else { return "" }
        let start = max(0, first.lines.lowerBound - Self.context)
        let end = min(lineCount, last.lines.upperBound + Self.context)
        let growth = hunk.reduce(0) { $0 + $1.replacement.count - $1.lines.count }
        let count = end - start
        // A side without lines is named by the line before it.
        let old = count == 0 ? start : start + 1
        let new = count + growth == 0 ? start + shift : start + shift + 1
        var text = "@@ -\(old),\(count) +\(new),\(count + growth) @@\n"
        var at = start
        for change in hunk {
            for index in at..<change.lines.lowerBound { text += Self.marked(" ", line(index)) }
            for index in change.lines { text += Self.marked("-", line(index)) }
            for line in change.replacement { text += Self.marked("+", line) }
            at = change.lines.upperBound
        }
        for index in at..<end { text += Self.marked(" ", line(index)) }
        shift += growth
        return text
    }

    private static func marked(_ mark: String, _ line: Substring) -> String {
        line.utf8.last == UInt8(ascii: "\n")
            ? mark + line : mark + line + "\n\\ No newline at end of file\n"
    }
}
