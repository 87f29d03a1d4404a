// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// What is timed: set up before, run round by round, taken down afterwards.
package struct Workload {
    /// How often a round repeats what it measures.
    package enum Repeats: Sendable {
        /// So often that a round lasts as long as it should.
        case calibrated
        /// So often at once, because that many is the question; fewer for what is so slow that a
        /// round would not end.
        case burst(of: Int)
        /// Once: it does not vary with time.
        case once
    }

    let repeats: Repeats
    let measure: (Int) -> Double
    let finish: () -> Void

    /// - Parameters:
    ///   - repeats: how often a round repeats it.
    ///   - measure: does it so often, and returns what one took, in the table's unit.
    ///   - finish: takes it down.
    package init(
        repeats: Repeats = .calibrated, measure: @escaping (Int) -> Double,
        finish: @escaping () -> Void = {}
    ) {
        self.repeats = repeats
        self.measure = measure
        self.finish = finish
    }

    /// What is measured in nanoseconds for each of the times that `body` does it.
    package static func timed(
        finish: @escaping () -> Void = {}, body: @escaping (Int) -> Void
    ) -> Workload {
        Workload(measure: { Stopwatch.nanoseconds($0, body) }, finish: finish)
    }
}

/// The clock.
package enum Stopwatch {
    /// Nanoseconds since some moment; only goes forward.
    package static var now: Int64 { benchmarks_now() }

    /// How many nanoseconds each of `count` repetitions takes that `body` makes.
    package static func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        let start = now
        body(count)
        return Double(now - start) / Double(count)
    }
}
