// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import SwitchyardCore

/// The figures of one reading, as metrics.
struct ReadFigures {
    var counts: [MetricKey: Int] = [:]
    var gauges: [MetricKey: Int] = [:]
    var times: [MetricKey: [Int64]] = [:]
    /// Values of attributes that backends need no longer keep.
    var forgotten: Set<MetricKey.Dimension> = []
}

/// Makes the increments of counters of the totals that registrations have: remembers the last
/// totals.
struct FigureTally {
    private struct Registration: Hashable {
        let center: UInt64
        let sequence: UInt64
    }

    private struct Totals {
        var delivered: UInt64 = 0
        var lost: UInt64 = 0

        init() {}

        init(_ entry: CenterSnapshot.Entry) { (delivered, lost) = (entry.delivered, entry.lost) }
    }

    private var totals: [Registration: Totals] = [:]
    private var destinations = BoundedNames()
    private var contexts = BoundedNames()
    private var errorTypes = BoundedNames()

    /// Takes the present totals for those of the last reading.
    mutating func begin(_ centers: [InspectedCenter]) {
        for center in centers {
            for registration in center.registrations {
                let entry = registration.entry
                totals[Registration(center: center.number, sequence: entry.sequence)] =
                    Totals(entry)
            }
        }
    }

    mutating func read(
        _ centers: [InspectedCenter], _ problems: [ProblemCounts.Kind: Int],
        _ samples: SampledFigures?
    ) -> ReadFigures {
        var figures = ReadFigures()
        beginReading()
        var current: [Registration: Totals] = [:]
        var depths: [ObjectIdentifier: (context: String, depth: Int)] = [:]
        for center in centers {
            let countsInline = center.countsInline
            for registration in center.registrations {
                let entry = registration.entry
                if let mailbox = registration.mailbox {
                    depths[mailbox] = (entry.context, entry.queueDepth)
                }
                let id = Registration(center: center.number, sequence: entry.sequence)
                let now = Totals(entry)
                let before = totals[id] ?? Totals()
                current[id] = now
                var delivered = Int(clamping: now.delivered &- min(before.delivered, now.delivered))
                if !countsInline { delivered += samples?.inlineCalls[registration.id] ?? 0 }
                let name = destination(entry.topic.unquoted)
                figures.gauges[MetricKey(MetricName.registrations, [name]), default: 0] += 1
                figures.counts[MetricKey(MetricName.consumed, [name]), default: 0] += delivered
                let lost = Int(clamping: now.lost &- min(before.lost, now.lost))
                figures.counts[lostKey("bound", destination: name), default: 0] += lost
            }
        }
        totals = current
        for (context, depth) in depths.values {
            let attribute = self.context(context)
            figures.gauges[MetricKey(MetricName.depth, [attribute]), default: 0] += depth
        }
        add(problems, to: &figures)
        if let samples { add(samples, to: &figures) }
        figures.forgotten = forgotten
        return figures
    }

    private mutating func beginReading() {
        destinations.beginReading()
        contexts.beginReading()
        errorTypes.beginReading()
    }

    /// The values that have lost their places in this reading.
    private var forgotten: Set<MetricKey.Dimension> {
        let all = [
            (AttributeName.destination, destinations.forgotten),
            (AttributeName.context, contexts.forgotten),
            (AttributeName.errorType, errorTypes.forgotten),
        ]
        return Set(
            all.flatMap { name, values in
                values.map { MetricKey.Dimension(name: name, value: $0) }
            })
    }

    private mutating func add(
        _ problems: [ProblemCounts.Kind: Int], to figures: inout ReadFigures
    ) {
        for (problem, count) in problems {
            switch problem {
            case .lost(let kind, let context):
                let context = context.map { self.context($0) }
                figures.counts[lostKey(kind, context: context), default: 0].addClamped(count)
            case .threw(let topic, let error):
                let error = (AttributeName.errorType, errorTypes.value(of: error))
                let key = MetricKey(MetricName.errors, [destination(topic.unquoted), error])
                figures.counts[key, default: 0].addClamped(count)
            }
        }
    }

    private mutating func add(_ samples: SampledFigures, to figures: inout ReadFigures) {
        for (topic, count) in samples.posts {
            figures.counts[MetricKey(MetricName.sent, [destination(topic)]), default: 0] += count
        }
        for (topic, times) in samples.took {
            let key = MetricKey(MetricName.duration, [destination(topic)])
            figures.times[key, default: []] += times
        }
        for (topic, times) in samples.waited {
            let key = MetricKey(MetricName.wait, [destination(topic)])
            figures.times[key, default: []] += times
        }
        figures.counts[MetricKey(MetricName.missed, []), default: 0] += samples.missed
    }

    private mutating func destination(_ topic: String) -> (String, String) {
        (AttributeName.destination, destinations.value(of: topic))
    }

    private mutating func context(_ context: String) -> (String, String) {
        (AttributeName.context, contexts.value(of: context.withoutAddresses))
    }

    /// The key of a loss. Always with the same attributes, empty where nobody knows the value:
    /// backends such as Prometheus have one set of them for a metric.
    private func lostKey(
        _ reason: String, destination: (String, String)? = nil, context: (String, String)? = nil
    ) -> MetricKey {
        MetricKey(
            MetricName.lost,
            [
                destination ?? (AttributeName.destination, ""),
                context ?? (AttributeName.context, ""), (AttributeName.errorType, reason),
            ])
    }
}
#endif
