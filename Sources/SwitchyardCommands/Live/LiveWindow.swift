// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The last seconds of a process, as far as they are known: the live page is drawn from this alone.
struct LiveWindow {
    var process: Int32
    var name: String
    /// The registrations at the beginning and at the end, and the seconds that lie between.
    var before: InspectedCenters
    var after: InspectedCenters
    var seconds: Double
    /// The registrations of the looks in between.
    var between: [InspectedCenters] = []
    var samples = HandlerSamples.none
    /// The traced posts, and the seconds that they span.
    var recording = TraceRecording()
    var tracedSeconds: Double
    /// The topics of events by their numbers.
    var topics: [UInt64: String] = [:]
    /// The lines of call sites by their numbers.
    var sites: [UInt32: String] = [:]
    /// The origins of registrations that have ended meanwhile.
    var ended: [UInt64: String] = [:]
    /// The findings of a ``GrowthWatch``.
    var growth: [String] = []
    /// The cost of looking.
    var cost = LiveCost()
}

/// The cost of looking at a process.
struct LiveCost: Equatable {
    /// The trace events of a second, at most, that were asked for.
    var budget: UInt32 = 20_000
    /// The trace events of a second that came.
    var eventsPerSecond = 0.0
    /// One post in this many is traced.
    var interval: UInt32 = 1
    /// The events that were overwritten before they were read, since the page was opened.
    var overwritten: UInt64 = 0
    /// The share of the last seconds' events that were overwritten.
    var lostShare = 0.0
    /// The looks of a second at the handlers that threads are in.
    var looksPerSecond = 0.0

    /// A sentence for people.
    var text: String {
        let posts =
            interval <= 1 ? "every post is looked at" : "one post in \(interval) is looked at"
        let lost =
            lostShare < 0.01
            ? "" : "; rates of posts are too low by \(HandlerTable.percent(lostShare))"
        return "\(posts): \(LiveText.number(eventsPerSecond)) events a second, "
            + "\(LiveText.number(Double(overwritten))) lost\(lost); "
            + "\(LiveText.number(looksPerSecond)) samples a second"
    }
}
