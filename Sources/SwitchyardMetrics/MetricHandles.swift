// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import CoreMetrics

/// The metrics that a backend has, and how the figures of one reading get there.
struct MetricHandles {
    private let factory: any MetricsFactory
    private var counters: [MetricKey: Counter] = [:]
    private var gauges: [MetricKey: Gauge] = [:]
    private var timers: [MetricKey: Timer] = [:]
    /// The gauges that had a value at the last reading.
    private var live: Set<MetricKey> = []

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Ends the metrics with one of these values: their backend need not keep them.
    mutating func forget(_ values: Set<MetricKey.Dimension>) {
        if values.isEmpty { return }
        func isForgotten(_ key: MetricKey) -> Bool {
            !values.isDisjoint(with: key.dimensions)
        }
        for (key, counter) in counters where isForgotten(key) {
            counter.destroy()
            counters[key] = nil
        }
        for (key, gauge) in gauges where isForgotten(key) {
            gauge.destroy()
            gauges[key] = nil
            live.remove(key)
        }
        for (key, timer) in timers where isForgotten(key) {
            timer.destroy()
            timers[key] = nil
        }
    }

    mutating func count(_ counts: [MetricKey: Int]) {
        for (key, count) in counts where count > 0 {
            let counter =
                counters[key]
                ?? Counter(label: key.label, dimensions: key.pairs, factory: factory)
            counters[key] = counter
            counter.increment(by: count)
        }
    }

    /// Sets all gauges. Those that are not among `values` are set to 0, once.
    mutating func set(_ values: [MetricKey: Int]) {
        for key in live.subtracting(values.keys) { gauges[key]?.record(0) }
        for (key, value) in values {
            let gauge =
                gauges[key] ?? Gauge(label: key.label, dimensions: key.pairs, factory: factory)
            gauges[key] = gauge
            gauge.record(value)
        }
        live = Set(values.keys)
    }

    mutating func record(_ times: [MetricKey: [Int64]]) {
        for (key, nanoseconds) in times {
            let timer =
                timers[key]
                ?? Timer(
                    label: key.label, dimensions: key.pairs, preferredDisplayUnit: .seconds,
                    factory: factory)
            timers[key] = timer
            for time in nanoseconds { timer.recordNanoseconds(time) }
        }
    }
}
#endif
