// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// The code that is timed: set up before, run round by round, taken down afterwards.
package struct Workload {
    /// The number of repeats in a round.
    package enum Repeats: Sendable {
        /// As many repeats as make a round last as long as it should.
        case calibrated
        /// As `calibrated`, but at least this number, however long that takes.
        case atLeast(Int)
        /// This number, however long that takes.
        case exactly(Int)
        /// This number at once, because the question asks for it; fewer for a subject so slow that
        /// a round would not end.
        case burst(of: Int)
        /// One repeat: the figure does not vary with time.
        case once
    }

    let repeats: Repeats
    let measure: (Int) -> Double
    let losses: () -> Losses?
    let finish: () -> Void

    /// - Parameters:
    ///   - repeats: the number of repeats in a round.
    ///   - measure: runs the given number of repeats, and returns the figure of one, in the table's
    ///     unit.
    ///   - losses: the losses until then; nil where nothing can be lost.
    ///   - finish: takes the workload down.
    package init(
        repeats: Repeats = .calibrated, measure: @escaping (Int) -> Double,
        losses: @escaping () -> Losses? = { nil }, finish: @escaping () -> Void = {}
    ) {
        self.repeats = repeats
        self.measure = measure
        self.losses = losses
        self.finish = finish
    }

    /// A workload of the calling thread alone. The figure is the nanoseconds for which the thread
    /// runs, for each repetition in `body`. The objects in `kept` live until the end.
    package static func timed(
        keeping kept: Any = (), body: @escaping (Int) -> Void
    ) -> Workload {
        Workload(
            measure: { Stopwatch.nanoseconds($0, body) },
            finish: { withExtendedLifetime(kept) {} })
    }
}

/// The clocks.
package enum Stopwatch {
    /// The nanoseconds since some moment. The clock only goes forward.
    package static var now: Int64 { benchmarks_now() }

    /// The nanoseconds for which the calling thread runs in each of `count` repetitions that `body`
    /// makes. Waiting for a processor does not count: on a machine that does something else as
    /// well, it would be most of the time.
    package static func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        let start = benchmarks_thread_time()
        body(count)
        return Double(benchmarks_thread_time() - start) / Double(count)
    }
}
