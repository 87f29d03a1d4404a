// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
public import CoreMetrics
internal import SwitchyardCore

/// Metrics of all centers of the process: reads the counters that centers have anyway, at an
/// interval, and gives them to a backend of swift-metrics.
///
/// ```swift
/// MetricsSystem.bootstrap(backend)
/// let metrics = CenterMetrics()
/// try await metrics.run()      // in a task; ends when it is cancelled
/// ```
/// Counters begin at 0 when the metrics are created: earlier deliveries and losses are not in them.
/// Posts pay nothing for the metrics, unless `sampling` asks for figures that no counter has. The
/// article of the module says what each metric means.
public actor CenterMetrics {
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let isIncluded: @Sendable (_ center: String) -> Bool
    private let problems = ProblemCounts()
    private let sampler: PostSampler?
    private var tally = FigureTally()
    private var handles: MetricHandles

    /// Begins to count problems, and to look at posts if `sampling` says so.
    ///
    /// - Parameters:
    ///   - interval: the time between two readings.
    ///   - sampling: the share of posts that are looked at one by one.
    ///   - clock: the clock that ``run()`` sleeps on.
    ///   - factory: the backend; the one that the program has bootstrapped unless you name another.
    public init(
        every interval: Duration = .seconds(1), sampling: PostSampling = .off,
        clock: any Clock<Duration> = ContinuousClock(),
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.init(
            every: interval, sampling: sampling, clock: clock, factory: factory,
            ofCentersNamed: { _ in true })
    }

    /// Creates metrics of the centers with some names.
    package init(
        every interval: Duration, sampling: PostSampling, clock: any Clock<Duration>,
        factory: any MetricsFactory,
        ofCentersNamed isIncluded: @escaping @Sendable (_ center: String) -> Bool
    ) {
        Misuse.unless(
            interval > .zero, "metrics are read after some time, not every \(interval)")
        self.interval = interval
        self.clock = clock
        self.isIncluded = isIncluded
        sampler = sampling.interval.map { PostSampler(oneIn: $0) }
        handles = MetricHandles(factory)
        tally.begin(CenterDirectory.centers.filter { isIncluded($0.name) })
    }

    /// Reads at once, at each interval, and once more when the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func run() async throws {
        defer { read() }
        while true {
            read()
            try await clock.sleep(for: interval)
        }
    }

    /// Reads once. For programs whose backend is asked for its values now and then.
    ///
    /// - Complexity: O(registrations of all centers).
    public func read() {
        let centers = CenterDirectory.centers.filter { isIncluded($0.name) }
        let figures = tally.read(centers, problems.take(), sampler?.read())
        handles.forget(figures.forgotten)
        handles.count(figures.counts)
        handles.set(figures.gauges)
        handles.record(figures.times)
    }
}
#endif
