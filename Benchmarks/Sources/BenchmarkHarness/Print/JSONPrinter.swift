// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation

/// Figures for programs.
package enum JSONPrinter {
    /// One object of the array.
    struct Record: Codable {
        let table: String
        let row: String
        let column: String
        let subject: String
        let role: Role
        let median: Double
        let minimum: Double
        let unit: String
        let better: Better
        /// Missing where no limit was measured.
        let ratioToLimit: Double?
        /// The expected messages. This and the losses are missing where nothing can be lost.
        let expected: Int?
        let lost: Int?
        let repeats: Int
        let rounds: [Double]
    }

    /// An array with an object for each subject of each cell.
    package static func data(_ tables: [TableReport]) throws -> Data {
        let records = tables.flatMap { table in
            table.cells.flatMap { cell in
                cell.measurements.map { record($0, cell, table) }
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(records)
    }

    private static func record(
        _ measurement: Measurement, _ cell: CellReport, _ table: TableReport
    ) -> Record {
        Record(
            table: table.name, row: cell.row, column: cell.column, subject: measurement.subject,
            role: measurement.role, median: measurement.median, minimum: measurement.minimum,
            unit: cell.unit, better: cell.better,
            ratioToLimit: cell.ratio(of: measurement, to: .limit),
            expected: measurement.losses?.expected, lost: measurement.losses?.lost,
            repeats: measurement.repeats, rounds: measurement.rounds)
    }
}
