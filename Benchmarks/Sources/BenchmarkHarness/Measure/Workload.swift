// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// What is timed: set up before, run round by round, taken down afterwards.
package struct Workload {
    /// How often a round repeats what it measures.
    package enum Repeats: Sendable {
        /// So often that a round lasts as long as it should.
        case calibrated
        /// The same, but so often at least, however long that takes.
        case atLeast(Int)
        /// So often, however long that takes.
        case exactly(Int)
        /// So often at once, because that many is the question; fewer for what is so slow that a
        /// round would not end.
        case burst(of: Int)
        /// Once: it does not vary with time.
        case once
    }

    let repeats: Repeats
    let measure: (Int) -> Double
    let losses: () -> Losses?
    let finish: () -> Void

    /// - Parameters:
    ///   - repeats: how often a round repeats it.
    ///   - measure: does it so often, and returns what one took, in the table's unit.
    ///   - losses: what did not arrive until then; nil where nothing can be lost.
    ///   - finish: takes it down.
    package init(
        repeats: Repeats = .calibrated, measure: @escaping (Int) -> Double,
        losses: @escaping () -> Losses? = { nil }, finish: @escaping () -> Void = {}
    ) {
        self.repeats = repeats
        self.measure = measure
        self.losses = losses
        self.finish = finish
    }

    /// What the calling thread alone does: nanoseconds for which it runs, for each of the times
    /// that `body` does it. What `kept` holds lives until then.
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
    /// Nanoseconds since some moment; only goes forward.
    package static var now: Int64 { benchmarks_now() }

    /// For how many nanoseconds the calling thread runs in each of `count` repetitions that `body`
    /// makes. Waiting for a processor does not count: on a machine that does something else as
    /// well, it would be most of the time.
    package static func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        let start = benchmarks_thread_time()
        body(count)
        return Double(benchmarks_thread_time() - start) / Double(count)
    }
}
