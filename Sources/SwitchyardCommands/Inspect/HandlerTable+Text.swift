// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

extension HandlerTable {
    /// The table for people, a line for each row.
    ///
    /// - Parameter limit: the most rows; nil for all.
    func text(limit: Int? = nil) -> String {
        let shown = rows.prefix(limit ?? rows.count)
        var table = [["BUSY", "A SECOND", "WAIT", "LOST", "CONTEXT", "HANDLER", "HEARS"]]
        table += shown.map { row in
            [
                Self.percent(row.busy), Self.number(row.rate), "\(row.waiting)", "\(row.lost)",
                row.context.shown, row.handler.shown + (row.count > 1 ? " ×\(row.count)" : ""),
                row.hears.shown,
            ]
        }
        var text = "process \(process) \(name.shown), \(rows.count) kinds of registrations\n"
        text += Self.aligned(table, rightAligned: 4)
        if shown.count < rows.count { text += "and \(rows.count - shown.count) more\n" }
        for finding in findings { text += "▲ \(finding.shown)\n" }
        return text
    }

    static func percent(_ share: Double) -> String {
        share == 0 ? "-" : share < 0.01 ? "<1 %" : "\(Int((share * 100).rounded())) %"
    }

    static func number(_ rate: Double) -> String {
        rate == 0 ? "-" : rate < 10 ? String(format: "%.1f", rate) : "\(Int(rate.rounded()))"
    }

    /// Lines in columns, which are as wide as their widest cell.
    ///
    /// - Parameter rightAligned: how many of the first columns have numbers.
    static func aligned(_ table: [[String]], rightAligned: Int = 0) -> String {
        let columns = table.first?.count ?? 0
        let widths = (0..<columns).map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column < rightAligned ? padding + cell : cell + padding
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
