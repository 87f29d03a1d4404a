// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// Makes times of ticks, by readings of both clocks.
///
/// While a machine is suspended, time goes on, and the counter of ticks may stand still. So two
/// readings with a suspension in between say nothing about the rate, and the times before it are
/// those of the readings before it. The recording that has two readings in all can't know.
///
/// A process that is held up between its two clocks gives a wrong reading, and the first rate may be
/// made of it: then all later times seem too long. Suspensions do not come one after the other, and
/// all of one share: so the rate of three such times in a row is the right one.
package struct TraceTimes: Sendable {
    /// Readings between which both clocks went on.
    private struct Run: Sendable {
        let first: TraceClock.Reading
        var last: TraceClock.Reading
    }

    /// In the order of the readings.
    private var runs: [Run] = []
    /// The ticks and nanoseconds that the rate is made of.
    private var (ticks, nanoseconds) = (0.0, 0.0)
    private var nanosecondsOfTick = 1.0
    /// The times in a row that may be suspensions, and agree on another rate.
    private var doubt = Doubt()

    private struct Doubt: Sendable {
        var count = 0
        var (ticks, nanoseconds) = (0.0, 0.0)

        mutating func add(_ ticks: Double, _ nanoseconds: Double) {
            let expected = count == 0 ? 0 : ticks * self.nanoseconds / self.ticks
            if abs(nanoseconds - expected) > expected / 8 { self = Doubt() }
            count += 1
            self.ticks += ticks
            self.nanoseconds += nanoseconds
        }
    }

    /// The nanoseconds from which on a suspension is told from a reading that was held up.
    private static let shortestSuspension = 1e8
    /// The number of times that tell a wrong rate from suspensions.
    private static let mostDoubts = 3
    /// The most runs: a process may send any readings.
    private static let mostRuns = 1000

    init() {}

    init(_ first: TraceClock.Reading) { add(first) }

    /// Takes note of a later reading.
    mutating func add(_ reading: TraceClock.Reading) {
        guard let last = runs.last?.last, reading.ticks > last.ticks,
            reading.nanoseconds > last.nanoseconds
        else { return begin(with: reading) }
        let ticks = Double(reading.ticks - last.ticks)
        let nanoseconds = Double(reading.nanoseconds - last.nanoseconds)
        if self.ticks > 0 {
            let expected = ticks * nanosecondsOfTick
            if Self.isSuspension(nanoseconds, insteadOf: expected) {
                doubt.add(ticks, nanoseconds)
                if doubt.count < Self.mostDoubts { return begin(with: reading) }
                // Without this time, which comes to it below.
                self.ticks = doubt.ticks - ticks
                self.nanoseconds = doubt.nanoseconds - nanoseconds
            }
            // The suspension was between the readings before.
            if Self.isSuspension(expected, insteadOf: nanoseconds) {
                (self.ticks, self.nanoseconds) = (0, 0)
            }
        }
        doubt = Doubt()
        self.ticks += ticks
        self.nanoseconds += nanoseconds
        nanosecondsOfTick = self.nanoseconds / self.ticks
        runs[runs.count - 1].last = reading
    }

    private mutating func begin(with reading: TraceClock.Reading) {
        if runs.count == Self.mostRuns { runs.removeFirst() }
        runs.append(Run(first: reading, last: reading))
    }

    /// Whether a time is so much longer than another that the machine was suspended in it. An eighth
    /// more may be a rate that was measured in a short time.
    private static func isSuspension(_ time: Double, insteadOf expected: Double) -> Bool {
        time > expected * 1.125 + shortestSuspension
    }

    /// The time of the last reading, in nanoseconds since the system's start.
    package var end: UInt64 { runs.last?.last.nanoseconds ?? 0 }

    /// Nanoseconds since the system's start.
    package func time(_ ticks: UInt64) -> UInt64 {
        let run = runs.last { $0.first.ticks <= ticks } ?? runs.first
        let base = run?.last ?? TraceClock.Reading(ticks: 0, nanoseconds: 0)
        let distance = Double(Int64(bitPattern: ticks &- base.ticks)) * nanosecondsOfTick
        return UInt64(min(max(0, Double(base.nanoseconds) + distance), 9e18))
    }

    /// The nanoseconds of a number of ticks.
    package func span(_ ticks: UInt64) -> Double { Double(ticks) * nanosecondsOfTick }

    /// The nanoseconds of a time in ``TraceEvent/detail``.
    package func span(detail: UInt32) -> Double {
        span(UInt64(detail) * TraceClock.ticksOfDetail)
    }
}
