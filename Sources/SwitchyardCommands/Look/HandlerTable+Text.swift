// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardWire

extension HandlerTable {
    /// The table for people, a line for each row and each finding.
    func text() -> String {
        lines(rows: rows[...]).joined(separator: "\n") + "\n"
    }

    /// The part of the table that a terminal shows without scrolling and wrapping. A third of the
    /// lines is for the findings, if both they and the rows want more than there is.
    ///
    /// - Parameters:
    ///   - height: the lines of the terminal; the last is for the cursor.
    ///   - width: the columns in a line.
    func text(height: Int, width: Int) -> String {
        // The rows get the lines that are left without the cursor, the title and the heads.
        let room = max(0, height - 3)
        let forFindings = min(findings.count, max(room / 3, room - rows.count))
        let forRows = min(rows.count, room - forFindings)
        // One line less where one has to say that there are more.
        let shownRows = forRows < rows.count ? max(0, forRows - 1) : forRows
        let shownFindings = forFindings < findings.count ? max(0, forFindings - 1) : forFindings
        return lines(rows: rows.prefix(shownRows), findings: findings.prefix(shownFindings))
            .prefix(max(0, height - 1))
            .map { $0.fitting(columns: width) }
            .joined(separator: "\n") + "\n"
    }

    private func lines(
        rows shown: ArraySlice<Row>, findings shownFindings: ArraySlice<String>? = nil
    ) -> [String] {
        var table = [Self.heads]
        table += shown.map { row in
            [
                row.isBusyKnown || row.busy > 0 ? Self.percent(row.busy) : "?",
                Self.number(row.rate), Self.taken(row),
                row.hasUnknownTimes ? "?" : Self.time(row.waited), "\(row.waiting)", "\(row.lost)",
                row.context.shown, row.handler.shown + (row.count > 1 ? " ×\(row.count)" : ""),
                row.hears.shown,
            ]
        }
        let places = rows.count == 1 ? "place" : "places"
        var title = "process \(process) \(name.shown), \(rows.count) \(places) of registration"
        // In the title, because a line of its own would need room on a terminal.
        if overwritten > 0 { title += "; TAKES and WAITS lack \(overwritten) events" }
        var lines = [title]
        lines += Self.alignedLines(table, rightAligned: 6)
        if shown.count < rows.count { lines.append("and \(rows.count - shown.count) more") }
        let findings = shownFindings ?? findings[...]
        lines += findings.map { "▲ \($0.shown)" }
        let hidden = self.findings.count - findings.count
        if hidden > 0 { lines.append("▲ and \(hidden) more") }
        return lines
    }

    private static let heads = [
        "BUSY", "A SECOND", "TAKES", "WAITS", "WAITING", "LOST", "CONTEXT", "HANDLER", "HEARS",
    ]

    /// A time of seconds, with a unit and two digits.
    static func time(_ seconds: Double?) -> String {
        guard let seconds else { return "-" }
        let (number, unit) =
            switch seconds {
            case ..<0.000_000_95: (seconds * 1e9, "ns")
            case ..<0.000_95: (seconds * 1e6, "µs")
            case ..<0.95: (seconds * 1e3, "ms")
            default: (seconds, "s")
            }
        return number < 9.5
            ? String(format: "%.1f \(unit)", number) : "\(Int(min(number, 1e15).rounded())) \(unit)"
    }

    /// The time that calls took; with a tilde, the mean of calls whose own times are not known.
    private static func taken(_ row: Row) -> String {
        if let mean = row.meanTime { return "~" + time(mean) }
        return row.hasUnknownTimes ? "?" : time(row.took)
    }

    static func percent(_ share: Double) -> String {
        share == 0 ? "-" : share < 0.01 ? "<1 %" : "\(Int((share * 100).rounded())) %"
    }

    static func number(_ rate: Double) -> String {
        rate == 0
            ? "-" : rate < 10 ? String(format: "%.1f", rate) : "\(Int(min(rate, 1e15).rounded()))"
    }

    /// The widest cell, in columns. Names may have thousands of characters, and a column is as wide
    /// in all lines.
    private static let widestCell = 200

    /// Lines in columns, which are as wide as their widest cell.
    ///
    /// - Parameter rightAligned: the number of the first columns that have numbers.
    static func aligned(_ table: [[String]], rightAligned: Int = 0) -> String {
        alignedLines(table, rightAligned: rightAligned).map { $0 + "\n" }.joined()
    }

    private static func alignedLines(_ table: [[String]], rightAligned: Int) -> [String] {
        // Shortened first: the columns of a text take longer to count than its scalars.
        let table = table.map { row in
            row.map { $0.shortened(to: widestCell).fitting(columns: widestCell) }
        }
        let columns = table.first?.count ?? 0
        let widths = (0..<columns).map { column in table.map { $0[column].columns }.max() ?? 0 }
        return table.map { row in
            let cells = row.enumerated().map { column, cell in
                if column >= rightAligned, column == columns - 1 { return cell }
                let padding = String(repeating: " ", count: widths[column] - cell.columns)
                return column < rightAligned ? padding + cell : cell + padding
            }
            let line = cells.joined(separator: "  ")
            let last = line.lastIndex { $0 != " " }
            return last.map { String(line[...$0]) } ?? ""
        }
    }
}
