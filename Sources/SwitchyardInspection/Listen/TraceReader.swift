// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// Reads this process's trace events. Nothing grows while it reads: events that it is too slow for
/// are overwritten, and counted.
final class TraceReader {
    /// The positions up to which it has read, by the numbers of the rings.
    private var cursors: [UInt64: TraceRing.Cursor]
    private var knownTopics = 0
    private var knownSites: UInt32 = 0

    /// Whether a batch has the sites of its own events alone, because there is one batch.
    private let readsOnce: Bool

    init(since cursors: [UInt64: TraceRing.Cursor], once readsOnce: Bool = false) {
        self.cursors = cursors
        self.readsOnce = readsOnce
    }

    /// The events since the last batch.
    func next() -> TraceBatch {
        // Read before the topics and sites that they name.
        let threads = TraceRing.all.compactMap(read)
        return TraceBatch(
            clock: TraceClock.reading, interval: TraceSampling.interval, topics: newTopics(),
            sites: newSites(of: threads), threads: threads)
    }

    private func read(_ ring: TraceRing) -> TraceBatch.Thread? {
        var events: [TraceEvent] = []
        let overwritten = ring.read(from: &cursors[ring.number, default: 0]) { events.append($0) }
        if events.isEmpty, overwritten == 0 { return nil }
        return TraceBatch.Thread(
            ring: ring.number, number: ring.thread, name: ThreadNames.name(of: ring.thread),
            overwritten: overwritten, events: events)
    }

    private func newTopics() -> [TraceBatch.Topic] {
        let new = TraceTopics.after(knownTopics)
        knownTopics += new.count
        return new.map { TraceBatch.Topic(id: UInt64($0.id), text: $0.text) }
    }

    private func newSites(of threads: [TraceBatch.Thread]) -> [TraceBatch.Site] {
        let used = Set(threads.flatMap { $0.events.compactMap(\.site) })
        let new = CallSites.after(knownSites)
        knownSites = new.last?.number ?? knownSites
        return new.compactMap { number, frames in
            if readsOnce, !used.contains(number) { return nil }
            return TraceBatch.Site(number: number, frames: frames.map(TraceBatch.Frame.init))
        }
    }
}

extension TraceBatch.Frame {
    /// A return address of this process.
    init(address: UInt) {
        let place = switchyard_code_at(address)
        var module = place.path.map { String(cString: $0) } ?? ""
        // The program's own path stands there as it was called.
        if !module.isEmpty, !module.hasPrefix("/") { module = Self.program }
        self.init(module: module, offset: place.offset)
    }

    private static let program =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? Bundle.main.executablePath ?? ""
}

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
        let interval = budget.interval(after: all - asked, at: now, now: batch.interval)
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
        threads.reduce(0) { sum, thread in
            sum + UInt64(thread.events.count { $0.kind != .registered }) + thread.overwritten
        }
    }

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

/// The share of posts that are traced, so that a tool gets as many events as it wants and no more.
struct TraceBudget {
    private let eventsPerSecond: Double
    private var last: UInt64?

    init(eventsPerSecond: UInt32) { self.eventsPerSecond = Double(max(eventsPerSecond, 1)) }

    /// The new interval between traced posts.
    ///
    /// - Parameters:
    ///   - count: the number of events since the last call.
    ///   - time: now, in nanoseconds.
    ///   - interval: the interval since the last call.
    mutating func interval(after count: UInt64, at time: UInt64, now interval: UInt32) -> UInt32 {
        defer { last = time }
        guard let last, time > last else { return interval }
        let rate = Double(count) * 1e9 / Double(time - last)
        let wanted = Double(interval) * rate / eventsPerSecond
        if wanted > Double(interval) { return UInt32(min(wanted.rounded(.up), 32_768)) }
        // Slowly back: a pause between two bursts is no reason to trace the second one whole.
        return max(UInt32(max(wanted.rounded(.up), 1)), interval / 2, 1)
    }
}
