// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The extent of a measurement.
package struct Effort: Sendable {
    /// The number of rounds of a cell.
    package var rounds: Int
    /// The time for which one subject runs in a round.
    package var secondsPerRound: Double
    /// The time that a burst may last before a smaller one is measured.
    package var secondsPerBurst: Double
    /// The number of repeats that a workload may ask for, however long they take.
    package var mostRepeats = Int.max
    /// Whether a cell whose rounds can't decide its goal gets more of them.
    package var repeatsUndecided = true

    /// - Parameters:
    ///   - rounds: the number of rounds of a cell.
    ///   - seconds: the shortest time for which one subject runs in all rounds of a cell together.
    package init(rounds: Int, seconds: Double) {
        self.rounds = rounds
        secondsPerRound = seconds / Double(rounds)
        secondsPerBurst = 2
    }

    /// A short run, to see that everything works. The figures mean little.
    package static let quick: Effort = {
        var effort = Effort(rounds: 2, seconds: 0.004)
        effort.secondsPerBurst = 0.02
        effort.mostRepeats = 1000
        effort.repeatsUndecided = false
        return effort
    }()
}
