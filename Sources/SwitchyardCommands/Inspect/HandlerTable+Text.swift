// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

extension HandlerTable {
    /// The table for people, a line for each row.
    ///
    /// - Parameter limit: the most rows; nil for all.
    func text(limit: Int? = nil) -> String {
        let shown = rows.prefix(limit ?? rows.count)
        var table = [Self.heads]
        table += shown.map { row in
            [
                Self.percent(row.busy), Self.number(row.rate), Self.time(row.took),
                Self.time(row.waited), "\(row.waiting)", "\(row.lost)",
                row.context.shown, row.handler.shown + (row.count > 1 ? " ×\(row.count)" : ""),
                row.hears.shown,
            ]
        }
        var text = "process \(process) \(name.shown), \(rows.count) kinds of registrations\n"
        text += Self.aligned(table, rightAligned: 6)
        if shown.count < rows.count { text += "and \(rows.count - shown.count) more\n" }
        for finding in findings { text += "▲ \(finding.shown)\n" }
        return text
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
            ? String(format: "%.1f \(unit)", number) : "\(Int(number.rounded())) \(unit)"
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
