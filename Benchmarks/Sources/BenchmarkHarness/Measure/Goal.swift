// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A goal for one cell. Machines differ by a factor of two, so goals are ratios within one run.
/// Only figures that do not depend on the machine, such as memory, have a goal of their own.
package enum Goal: Sendable {
    /// A largest figure, in the table's unit.
    case atMost(Double)
    /// A largest ratio to the named subject of the cell; the smallest ratio where larger figures
    /// are better.
    case ofSubject(String, Double)
    /// A ratio to the best limit, likewise.
    case ofLimit(Double)
    /// A largest ratio to our figure in another column of the row.
    case ofColumn(String, Double)
    /// A largest ratio to our figure in the same column of another row.
    case ofRow(String, Double)

    /// The base of the goal's ratio, in words; nil for a goal of its own.
    func base(in cell: CellReport) -> String? {
        switch self {
        case .atMost: nil
        case .ofSubject(let name, _): name
        case .ofLimit: cell.best(.limit)?.subject ?? "limit"
        case .ofColumn(let column, _): column
        case .ofRow(let row, _): row
        }
    }

    private var factor: Double {
        switch self {
        case .atMost(let value): value
        case .ofSubject(_, let factor), .ofLimit(let factor), .ofColumn(_, let factor),
            .ofRow(_, let factor):
            factor
        }
    }

    /// The bound in words, such as "≤ 1.25".
    ///
    /// - Parameter better: the figures that are better.
    func text(_ better: Better) -> String {
        "\(better == .more ? "≥" : "≤") \(Figure.ratio(factor))"
    }

    /// The measured ratio, and whether the goal is reached; nil if one of the compared subjects was
    /// not measured.
    ///
    /// - Parameter table: the table with the other cells.
    func result(in cell: CellReport, of cells: [CellReport]) -> (ratio: Ratio, verdict: Verdict)? {
        guard let ours = cell.ours else { return nil }
        let ratio: Ratio
        if case .atMost = self {
            ratio = Ratio(of: ours.rounds)
        } else {
            guard let base = measurement(in: cell, of: cells) else { return nil }
            ratio = Ratio(of: ours.rounds, to: base.rounds)
        }
        return (ratio, ratio.verdict(factor, cell.better))
    }

    private func measurement(in cell: CellReport, of cells: [CellReport]) -> Measurement? {
        switch self {
        case .atMost: nil
        case .ofSubject(let name, _): cell.measurements.first { $0.subject == name }
        case .ofLimit: cell.best(.limit)
        case .ofColumn(let column, _):
            cells.first { $0.row == cell.row && $0.column == column }?.ours
        case .ofRow(let row, _):
            cells.first { $0.row == row && $0.column == cell.column }?.ours
        }
    }
}

/// Whether a goal is reached.
package enum Verdict: Equatable, Sendable {
    case reached, missed
    /// The rounds differ too much to tell.
    case undecided

    var mark: String {
        switch self {
        case .reached: "✓"
        case .missed: "✗"
        case .undecided: "≈"
        }
    }
}
