// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Tables for a terminal.
package enum TextPrinter {
    /// `table` in lines of text.
    package static func text(_ table: TableReport) -> String {
        var text = "\(table.title)\n\(table.legend)\n"
        for row in table.rows { text += "\n" + section(Grid(row, of: table)) }
        if !table.notes.isEmpty { text += "\n" }
        for note in table.notes { text += "\(note)\n" }
        return text
    }

    private static func section(_ grid: Grid) -> String {
        let rows = [[grid.title] + grid.columns] + grid.lines.map { ["  " + $0.label] + $0.texts }
        let widths = (0...grid.columns.count).map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                padded(text, to: max(widths[column], column == 0 ? 36 : 12), left: column == 0)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }

    private static func padded(_ text: String, to width: Int, left: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + space : space + text
    }
}
