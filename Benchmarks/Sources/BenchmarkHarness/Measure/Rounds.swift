// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Measures the subjects of a cell, one after the other, round by round: a disturbance of the
/// machine hits all of them.
package struct Rounds {
    private struct Running {
        let contender: Contender
        let workload: Workload
        let repeats: Int
        var values: [Double] = []
    }

    private let effort: Effort
    private let now: () -> Int64

    /// - Parameters:
    ///   - effort: the extent of the measurement.
    ///   - now: the clock, in nanoseconds, by which rounds are made as long as they should be.
    package init(_ effort: Effort, now: @escaping () -> Int64 = { Stopwatch.now }) {
        self.effort = effort
        self.now = now
    }

    /// Measures a table.
    ///
    /// - Parameter progress: told of each cell and subject before it is measured.
    package func measure(_ table: Table, progress: (String) -> Void) -> TableReport {
        let cells = table.cells.map { cell in
            measure(cell) { progress("\(table.name): \(cell.row), \(cell.column): \($0)") }
        }
        return TableReport(
            name: table.name, title: table.title, cells: cells, showsRatios: table.showsRatios,
            notes: table.notes)
    }

    private func measure(_ cell: Cell, progress: (String) -> Void) -> CellReport {
        var running = cell.contenders.compactMap { contender in
            progress(contender.name)
            return contender.prepare().map { workload in
                Running(contender: contender, workload: workload, repeats: repeats(of: workload))
            }
        }
        for part in 1...Self.mostParts {
            for round in 1...effort.rounds {
                for index in running.indices {
                    let name = running[index].contender.name
                    progress("\(name), round \(round + (part - 1) * effort.rounds)")
                    let value = running[index].workload.measure(running[index].repeats)
                    running[index].values.append(value)
                }
            }
            let report = Self.report(cell, running)
            if !effort.repeatsUndecided { break }
            if report.goal?.result(in: report, of: [])?.verdict != .undecided { break }
        }
        let report = Self.report(cell, running)
        for each in running { each.workload.finish() }
        return report
    }

    /// The most times that the rounds of a cell are made: again if they differ too much to tell
    /// whether its goal is reached.
    private static let mostParts = 3

    private static func report(_ cell: Cell, _ running: [Running]) -> CellReport {
        CellReport(
            row: cell.row, column: cell.column, unit: cell.unit, better: cell.better,
            goal: cell.goal, isInPicture: cell.isInPicture,
            measurements: running.map { each in
                Measurement(
                    subject: each.contender.name, role: each.contender.role,
                    repeats: each.repeats, rounds: each.values, losses: each.workload.losses())
            })
    }

    /// The number of repeats in a round of `workload`. Trying it out also warms it up.
    private func repeats(of workload: Workload) -> Int {
        switch workload.repeats {
        case .once:
            return 1
        case .calibrated:
            return count(lasting: effort.secondsPerRound, workload, from: 1, atMost: .max)
        case .atLeast(let size):
            let count = count(lasting: effort.secondsPerRound, workload, from: 1, atMost: .max)
            return max(count, min(size, effort.mostRepeats))
        case .exactly(let size):
            return min(size, effort.mostRepeats)
        case .burst(let size):
            // Fewer repeats would measure the start of threads.
            return count(lasting: effort.secondsPerBurst, workload, from: 1000, atMost: size)
        }
    }

    private func count(
        lasting seconds: Double, _ workload: Workload, from least: Int, atMost most: Int
    ) -> Int {
        let wanted = seconds * 1e9
        var count = least
        while true {
            let start = now()
            _ = workload.measure(count)
            let elapsed = max(1, Double(now() - start))
            // The time is near enough to reckon from; in a shorter one, the costs of the beginning
            // would count too much.
            if elapsed >= wanted / 4 {
                let needed = (wanted / elapsed * Double(count)).rounded(.up)
                return needed >= Double(most) ? most : max(least, Int(needed))
            }
            if count >= most { return most }
            count = min(most, count * 4)
        }
    }
}
