// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What we want to reach in one cell. Machines differ by a factor of two, so goals are ratios within one run;
/// only what does not depend on the machine, such as memory, has a goal of its own.
package enum Goal: Sendable {
    /// So much at most, in the table's unit.
    case atMost(Double)
    /// So many times what a subject of this name needs in the cell, at most; at least where more is better.
    case ofSubject(String, Double)
    /// So many times the best limit, likewise.
    case ofLimit(Double)
    /// So many times what we need in another column of the row at most.
    case ofColumn(String, Double)
    /// So many times what we need in the same column of another row at most.
    case ofRow(String, Double)

    /// What it is compared with, in words; nil for a goal of its own.
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
    /// - Parameter better: which figures are better.
    func text(_ better: Better) -> String {
        "\(better == .more ? "≥" : "≤") \(Figure.ratio(factor))"
    }

    /// What is measured of it, and whether it is reached; nil if what it compares was not measured.
    ///
    /// - Parameter table: for the other cells.
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
