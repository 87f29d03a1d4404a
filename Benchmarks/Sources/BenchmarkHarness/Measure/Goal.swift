// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What we want to reach in one cell.
package enum Goal: Sendable {
    /// So much at most, in the table's unit: of the machine for which it was set.
    case atMost(Double)
    /// So much at least, likewise.
    case atLeast(Double)
    /// So many times the best limit: at most, or at least where more is better.
    case ofLimit(Double)
    /// So many times what we need in another column of the row at most.
    case ofColumn(String, Double)

    /// In words.
    ///
    /// - Parameter better: which figures are better.
    func text(_ better: Better) -> String {
        switch self {
        case .atMost(let value): "≤ \(Figure.text(value))"
        case .atLeast(let value): "≥ \(Figure.text(value))"
        case .ofLimit(let factor): "\(better == .more ? "≥" : "≤") \(Figure.ratio(factor)) × limit"
        case .ofColumn(let column, let factor): "≤ \(Figure.ratio(factor)) × \(column)"
        }
    }

    /// Whether it is reached; nil if what it compares was not measured.
    func isMet(in cell: CellReport, of table: TableReport) -> Bool? {
        guard let ours = cell.ours?.median else { return nil }
        switch self {
        case .atMost(let value): return ours <= value
        case .atLeast(let value): return ours >= value
        case .ofLimit(let factor):
            return cell.best(.limit).map { limit in
                let bound = factor * limit.median
                return cell.better == .more ? ours >= bound : ours <= bound
            }
        case .ofColumn(let column, let factor):
            let other = table.cells.first { $0.row == cell.row && $0.column == column }
            return other?.ours.map { ours <= factor * $0.median }
        }
    }
}
