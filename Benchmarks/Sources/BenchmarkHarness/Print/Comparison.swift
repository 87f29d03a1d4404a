// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation

/// The cells that became slower or faster since an earlier run, beyond the noise of both.
///
/// Times of two runs can't be compared. So our figures are divided, round by round, by those of the
/// best limit of the same cell, or else of the best peer, and the ratios are compared.
package struct Comparison {
    /// One cell that changed.
    struct Change: Equatable {
        let cell: String
        let base: String
        let before: Double
        let now: Double
        /// The factor by which a time has grown, or a rate has shrunk.
        let slower: Double
    }

    /// The smallest change that is worth a line.
    private static let least = 0.03

    /// The slower ones first.
    let changes: [Change]
    /// The number of cells that both runs have.
    let compared: Int

    /// - Parameter old: what `--json` wrote in the earlier run.
    package init(_ tables: [TableReport], with old: Data) throws {
        let old = try JSONDecoder().decode([JSONPrinter.Record].self, from: old)
        var changes: [Change] = []
        var compared = 0
        for table in tables {
            for cell in table.cells {
                let records = old.filter {
                    $0.table == table.name && $0.row == cell.row && $0.column == cell.column
                }
                guard let (base, before, now) = Self.ratios(cell, records) else { continue }
                compared += 1
                let slower =
                    cell.better == .less ? now.median / before.median : before.median / now.median
                guard !before.range.overlaps(now.range), abs(slower - 1) > Self.least else {
                    continue
                }
                changes.append(
                    Change(
                        cell: "\(table.name), \(cell.row), \(cell.column)", base: base,
                        before: before.median, now: now.median, slower: slower))
            }
        }
        self.changes = changes.sorted { $0.slower > $1.slower }
        self.compared = compared
    }

    /// Our ratio to a subject that both runs have measured.
    private static func ratios(
        _ cell: CellReport, _ old: [JSONPrinter.Record]
    ) -> (base: String, before: Ratio, now: Ratio)? {
        func rounds(_ subject: String) -> [Double]? { old.first { $0.subject == subject }?.rounds }
        guard let ours = cell.ours, let before = rounds(ours.subject),
            let base = cell.best(.limit) ?? cell.best(.peer), let baseBefore = rounds(base.subject)
        else { return nil }
        return (
            base.subject, Ratio(of: before, to: baseBefore), Ratio(of: ours.rounds, to: base.rounds)
        )
    }

    /// The comparison in lines of text.
    package var text: String {
        var text = "Compared with the earlier run, \(compared) cells: "
        if changes.isEmpty { return text + "nothing changed beyond noise.\n" }
        let slower = changes.count { $0.slower > 1 }
        text += "\(slower) slower and \(changes.count - slower) faster beyond noise.\n"
        for change in changes {
            let word = change.slower > 1 ? "slower" : "faster"
            text +=
                "  \(word): \(change.cell): \(Figure.ratio(change.before)) → "
                + "\(Figure.ratio(change.now)) × \(change.base)\n"
        }
        return text
    }
}
