// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The figures of a table.
package struct TableReport {
    package let name: String
    package let title: String
    package let cells: [CellReport]
    /// Whether each figure is followed by its ratio to the limit's.
    package let showsRatios: Bool
    /// Notes for the reader of the figures: a line each.
    package let notes: [String]

    package init(
        name: String, title: String, cells: [CellReport], showsRatios: Bool = false,
        notes: [String] = []
    ) {
        self.name = name
        self.title = title
        self.cells = cells
        self.showsRatios = showsRatios
        self.notes = notes
    }

    /// A legend that explains the figures.
    var legend: String { "Median (best)" + (showsRatios ? ", times the limit's." : ".") }

    /// The rows, each with its cells in the order of the columns.
    var rows: [(name: String, cells: [CellReport])] {
        var rows: [(name: String, cells: [CellReport])] = []
        for cell in cells {
            if rows.last?.name == cell.row {
                rows[rows.count - 1].cells.append(cell)
            } else {
                rows.append((cell.row, [cell]))
            }
        }
        return rows
    }
}

/// The figures of a cell.
package struct CellReport {
    package let row: String
    package let column: String
    package let unit: String
    package let better: Better
    package let goal: Goal?
    package let isInPicture: Bool
    /// The measurements in the order of the subjects. Subjects that can't answer the question are
    /// missing.
    package let measurements: [Measurement]

    package init(
        row: String, column: String, unit: String, better: Better = .less, goal: Goal?,
        isInPicture: Bool, measurements: [Measurement]
    ) {
        self.row = row
        self.column = column
        self.unit = unit
        self.better = better
        self.goal = goal
        self.isInPicture = isInPicture
        self.measurements = measurements
    }

    /// Ours: the first of them, if there are several.
    package var ours: Measurement? { measurements.first { $0.role == .switchyard } }

    /// The best of a role.
    package func best(_ role: Role) -> Measurement? {
        let all = measurements.filter { $0.role == role }
        return switch better {
        case .less: all.min { $0.median < $1.median }
        case .more: all.max { $0.median < $1.median }
        }
    }

    /// Ours divided by the best of a role.
    package func ratio(to role: Role) -> Double? { ours.flatMap { ratio(of: $0, to: role) } }

    /// A measurement divided by the best of a role.
    package func ratio(of measurement: Measurement, to role: Role) -> Double? {
        guard let best = best(role), best.median > 0 else { return nil }
        return measurement.median / best.median
    }

    /// The best round of a measurement.
    package func best(of measurement: Measurement) -> Double {
        switch better {
        case .less: measurement.minimum
        case .more: measurement.rounds.max() ?? .nan
        }
    }
}

/// One subject in one cell.
package struct Measurement {
    package let subject: String
    package let role: Role
    /// The number of repeats of each round.
    package let repeats: Int
    /// The figure of one repeat, in each round, in the table's unit.
    package let rounds: [Double]
    /// The losses of all rounds; nil where nothing could be lost.
    package let losses: Losses?

    package init(
        subject: String, role: Role, repeats: Int, rounds: [Double], losses: Losses? = nil
    ) {
        self.subject = subject
        self.role = role
        self.repeats = repeats
        self.rounds = rounds
        self.losses = losses
    }

    package var median: Double { Statistics.median(rounds) ?? .nan }
    package var minimum: Double { rounds.min() ?? .nan }
}
