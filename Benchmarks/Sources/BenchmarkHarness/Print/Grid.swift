// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A row of a table as readers see it: subjects down, columns across, and what follows from them.
struct Grid {
    struct Line {
        let label: String
        let texts: [String]
        let role: Role?
    }

    let title: String
    let columns: [String]
    let lines: [Line]

    init(_ row: (name: String, cells: [CellReport]), of table: TableReport) {
        let units = Set(row.cells.map(\.unit))
        let unit = units.count == 1 ? units.first : nil
        title = unit.map { "\(row.name) (\($0))" } ?? row.name
        let losses = Self.losses(row.cells)
        columns =
            row.cells.map { unit == nil ? "\($0.column) (\($0.unit))" : $0.column }
            + (losses.isEmpty ? [] : ["lost"])
        lines = Self.measured(row.cells, table, losses) + Self.compared(row.cells, table, losses)
    }

    /// The losses of each subject in the whole row; empty where nothing could be lost.
    private static func losses(_ cells: [CellReport]) -> [String: Losses] {
        var losses: [String: Losses] = [:]
        for measurement in cells.flatMap(\.measurements) {
            guard let more = measurement.losses else { continue }
            losses[measurement.subject] = (losses[measurement.subject] ?? Losses()) + more
        }
        return losses
    }

    private static func measured(
        _ cells: [CellReport], _ table: TableReport, _ losses: [String: Losses]
    ) -> [Line] {
        var names: [(name: String, role: Role)] = []
        for measurement in cells.flatMap(\.measurements)
        where !names.contains(where: { $0.name == measurement.subject }) {
            names.append((measurement.subject, measurement.role))
        }
        return names.map { name, role in
            var texts = cells.map { cell in
                cell.measurements.first { $0.subject == name }.map { text($0, cell, table) } ?? ""
            }
            if !losses.isEmpty { texts.append(losses[name]?.text ?? "") }
            return Line(label: role == .limit ? "limit: \(name)" : name, texts: texts, role: role)
        }
    }

    private static func text(
        _ measurement: Measurement, _ cell: CellReport, _ table: TableReport
    ) -> String {
        let text =
            "\(Figure.text(measurement.median)) (\(Figure.text(cell.best(of: measurement))))"
        guard table.showsRatios, measurement.role != .limit,
            let ratio = cell.ratio(of: measurement, to: .limit)
        else { return text }
        return "\(text) \(Figure.ratio(ratio))×"
    }

    private static func compared(
        _ cells: [CellReport], _ table: TableReport, _ losses: [String: Losses]
    ) -> [Line] {
        let rest = losses.isEmpty ? [] : [""]
        let lines = [
            Line(
                label: "ours ÷ the best peer",
                texts: cells.map { $0.ratio(to: .peer).map(Figure.ratio) ?? "" } + rest,
                role: nil),
            Line(
                label: "ours ÷ the best limit",
                texts: cells.map { $0.ratio(to: .limit).map(Figure.ratio) ?? "" } + rest,
                role: nil),
            Line(
                label: goalLabel(of: cells), texts: cells.map { goal(of: $0, table) } + rest,
                role: nil),
        ]
        return lines.filter { line in line.texts.contains { !$0.isEmpty } }
    }

    private static func goal(of cell: CellReport, _ table: TableReport) -> String {
        guard let goal = cell.goal else { return "" }
        let text = goal.text(cell.better)
        guard let (ratio, verdict) = goal.result(in: cell, of: table.cells) else { return text }
        return "\(Figure.ratio(ratio.median)) \(text) \(verdict.mark)"
    }

    /// The goals' label, with what they are compared with.
    private static func goalLabel(of cells: [CellReport]) -> String {
        var bases: [String] = []
        for cell in cells {
            guard let base = cell.goal?.base(in: cell), !bases.contains(base) else { continue }
            bases.append(base)
        }
        return bases.isEmpty ? "goal" : "goal: ours ÷ \(bases.joined(separator: " or "))"
    }
}
