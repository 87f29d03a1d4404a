// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The share of posts that are traced, so that a tool gets as many events as it wants and no more.
struct TraceBudget {
    private let eventsPerSecond: Double
    private var last: UInt64?
    /// The time since which fewer events come than the tool wants, without the seconds for which
    /// the share has grown; nil while as many come.
    private var restSince: UInt64?

    private static let second: UInt64 = 1_000_000_000

    init(eventsPerSecond: UInt32) { self.eventsPerSecond = Double(max(eventsPerSecond, 1)) }

    /// The new interval between traced posts.
    ///
    /// - Parameters:
    ///   - count: the number of events since the last call.
    ///   - others: the number of events that no interval makes fewer. They leave a tenth of the
    ///     events for posts at least.
    ///   - time: now, in nanoseconds.
    ///   - interval: the interval since the last call.
    mutating func interval(
        after count: UInt64, besides others: UInt64 = 0, at time: UInt64, now interval: UInt32
    ) -> UInt32 {
        defer { last = time }
        guard let last, time > last else { return interval }
        let seconds = Double(time - last) / Double(Self.second)
        let room = max(eventsPerSecond - Double(others) / seconds, eventsPerSecond / 10)
        let wanted = Double(interval) * (Double(count) / seconds) / room
        if wanted >= Double(interval) {
            restSince = nil
            return UInt32(min(wanted.rounded(.up), 32_768))
        }
        // Slowly back, by half in a second, however often that is asked: a pause between two bursts
        // is no reason to trace the second one whole.
        let since = restSince ?? last
        let halvings = (time - since) / Self.second
        restSince = since + halvings * Self.second
        return max(UInt32(max(wanted.rounded(.up), 1)), interval >> min(halvings, 31), 1)
    }
}
