// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import SwitchyardCore

/// Has posts traced, and reads the threads' events, until it goes.
final class PostSampler {
    private let request: TraceRequest
    private let began = TraceClock.reading
    /// The positions up to which it has read, by the numbers of the rings.
    private var cursors: [UInt64: TraceRing.Cursor]
    private var topics: [UInt64: String] = [:]
    private var knownTopics = 0
    private var samples = PostSamples()

    init(oneIn interval: Int) {
        request = TraceRequest(TraceRequest.Settings(interval: UInt32(interval), notesSites: false))
        cursors = Dictionary(uniqueKeysWithValues: TraceRing.all.map { ($0.number, $0.end) })
    }

    /// The figures since the last call.
    func read() -> SampledFigures {
        var events: [TraceEvent] = []
        var missed: UInt64 = 0
        for ring in TraceRing.all {
            missed += ring.read(from: &cursors[ring.number, default: 0]) { events.append($0) }
        }
        // Read behind the events that they name.
        let new = TraceTopics.after(knownTopics)
        knownTopics += new.count
        for topic in new { topics[UInt64(topic.id)] = topic.text.unquoted }
        var figures = samples.take(
            events, topics: topics, nanosecondsOfTick: nanosecondsOfTick)
        figures.missed = Int(clamping: missed)
        return figures
    }

    private var nanosecondsOfTick: Double {
        let now = TraceClock.reading
        guard now.ticks > began.ticks, now.nanoseconds > began.nanoseconds else { return 1 }
        return Double(now.nanoseconds - began.nanoseconds) / Double(now.ticks - began.ticks)
    }
}
#endif
