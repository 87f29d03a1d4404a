// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Tables for a page.
package enum MarkdownPrinter {
    /// `tables` in Markdown.
    ///
    /// - Parameters:
    ///   - tables: what was measured.
    ///   - heading: where and when, a line.
    package static func text(_ tables: [TableReport], heading: String) -> String {
        heading + "\n" + tables.map(text).joined()
    }

    private static func text(_ table: TableReport) -> String {
        var text = "\n## \(table.title)\n\n\(table.legend)\n"
        for row in table.rows { text += "\n" + section(Grid(row, of: table)) }
        for note in table.notes { text += "\n\(note)\n" }
        return text
    }

    private static func section(_ grid: Grid) -> String {
        let head = line([grid.title] + grid.columns)
        let rule = "|---|" + String(repeating: "--:|", count: grid.columns.count) + "\n"
        let body = grid.lines.map { each in
            let strong = each.role == .switchyard ? "**" : ""
            return line(
                ([each.label] + each.texts).map { $0.isEmpty ? "" : strong + $0 + strong })
        }
        return head + rule + body.joined()
    }

    private static func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |\n"
    }
}
