// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// Has posts traced for one tool, and sees to it that there are not too many events.
final class ToolTrace {
    private let reader: TraceReader
    private var budget: TraceBudget
    /// The budget of posts that are traced for the sake of other processes.
    private var askedBudget: TraceBudget
    private let request: TraceRequest
    private var isResting = false

    /// Begins to trace.
    ///
    /// - Parameter eventsPerSecond: the number of events a second that the tool wants.
    init(eventsPerSecond: UInt32) {
        budget = TraceBudget(eventsPerSecond: eventsPerSecond)
        askedBudget = budget
        request = TraceRequest(TraceRequest.Settings(interval: 1, notesSites: true))
        reader = TraceReader(
            since: Dictionary(uniqueKeysWithValues: TraceRing.all.map { ($0.number, $0.end) }))
    }

    /// Has no posts traced for this tool until the next batch is asked for, or, if there is no
    /// other, as few as can be.
    func rest() {
        if isResting { return }
        isResting = true
        request.change { $0.isResting = true }
    }

    /// Changes the number of events a second that the tool wants.
    func wants(eventsPerSecond: UInt32) {
        budget = TraceBudget(eventsPerSecond: eventsPerSecond)
        askedBudget = budget
    }

    /// The events since the last batch.
    func next() -> TraceBatch {
        let batch = reader.next()
        let now = batch.clock.nanoseconds
        let all = batch.eventsOfPosts
        let asked = min(batch.eventsAskedFor, all)
        let interval = budget.interval(
            after: all - asked, besides: batch.registrations, at: now, now: batch.interval)
        let askedInterval = askedBudget.interval(
            after: asked, at: now, now: TraceSampling.askedInterval)
        // The events of a rest say nothing of how many there are.
        let wasResting = isResting
        isResting = false
        request.change { settings in
            settings.isResting = false
            if wasResting { return }
            settings.interval = interval
            settings.askedInterval = askedInterval
        }
        return batch
    }
}

extension TraceBatch {
    /// The number of events that there are fewer of when fewer posts are traced, with those that
    /// were overwritten.
    var eventsOfPosts: UInt64 {
        threads.reduce(0) {
            $0 &+ UInt64($1.events.count) &+ $1.overwritten &- $1.registrations
        }
    }

    /// The number of events of registrations, of which there are as many whatever is traced, with
    /// those that were overwritten.
    var registrations: UInt64 { threads.reduce(0) { $0 &+ $1.registrations } }

    /// The number of events of posts that are traced for the sake of other processes, and of posts
    /// inside their handlers, as far as the batch has their beginnings.
    var eventsAskedFor: UInt64 {
        var posts: Set<UInt64> = []
        var count: UInt64 = 0
        for thread in threads {
            for event in thread.events {
                switch event.kind {
                case .posted where event.weight == 0: posts.insert(event.post)
                case .within where posts.contains(event.subject): posts.insert(event.post)
                default: break
                }
                if posts.contains(event.post) { count += 1 }
            }
        }
        return count
    }
}

extension TraceBatch.Thread {
    /// The number of events of registrations. The same share of the overwritten events is taken for
    /// such.
    fileprivate var registrations: UInt64 {
        let here = events.count { $0.kind == .registered }
        if here == 0 { return 0 }
        let share = Double(here) / Double(events.count)
        return UInt64(here) + min(overwritten, UInt64(Double(min(overwritten, 1 << 52)) * share))
    }
}
