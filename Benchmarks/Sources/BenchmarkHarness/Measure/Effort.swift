// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// How much is measured.
package struct Effort: Sendable {
    /// How many rounds a cell has.
    package var rounds: Int
    /// How long one subject runs in a round.
    package var secondsPerRound: Double
    /// How long a burst may last before a smaller one is measured.
    package var secondsPerBurst: Double
    /// How many repeats a workload may ask for, however long they take.
    package var mostRepeats = Int.max
    /// Whether a cell whose rounds can't decide its goal gets more of them.
    package var repeatsUndecided = true

    /// - Parameters:
    ///   - rounds: how many rounds a cell has.
    ///   - seconds: how long one subject runs in all rounds of a cell together, at least.
    package init(rounds: Int, seconds: Double) {
        self.rounds = rounds
        secondsPerRound = seconds / Double(rounds)
        secondsPerBurst = 2
    }

    /// To see that it runs; the figures mean little.
    package static let quick: Effort = {
        var effort = Effort(rounds: 2, seconds: 0.004)
        effort.secondsPerBurst = 0.02
        effort.mostRepeats = 1000
        effort.repeatsUndecided = false
        return effort
    }()
}
