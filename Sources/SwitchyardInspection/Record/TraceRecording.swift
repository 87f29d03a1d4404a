// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardCore

/// Trace events of a process, put together from batches.
package struct TraceRecording {
    /// One thread, with its events in their order.
    package struct Thread {
        /// The system's number of the thread.
        package let number: Int32
        package var name: String
        package var events: [TraceEvent] = []
    }

    package private(set) var threads: [Thread] = []
    package private(set) var topics: [UInt64: String] = [:]
    package private(set) var sites: [UInt32: [TraceBatch.Frame]] = [:]
    /// The registrations since the recording began. They are no events of a thread here.
    package private(set) var registrations = TraceRegistrations()
    /// The events that were overwritten before they could be read.
    package private(set) var overwritten: UInt64 = 0
    /// The times of these events.
    private(set) var losses = TraceLosses()
    /// The ticks of the newest event of each ring.
    private var newest: [UInt64: UInt64] = [:]
    /// The ticks of the last two batches. Each batch has all events from before the one before it
    /// was asked for, so those that a batch lacks were written later than the older of these times.
    private var asked: (older: UInt64, newer: UInt64) = (0, 0)
    /// The largest number of posts of which one was traced.
    package private(set) var longestInterval: UInt32 = 1
    /// Makes times of ticks.
    package private(set) var clock = TraceTimes()
    /// The index of the thread that writes to a ring, by ring.
    private var current: [UInt64: Int] = [:]

    package init() {}

    /// Says when the recording began, which makes its times exact. Otherwise the first batch does.
    package mutating func begin(at reading: TraceClock.Reading) { clock = TraceTimes(reading) }

    package mutating func add(_ batch: TraceBatch) {
        clock.add(batch.clock)
        longestInterval = max(longestInterval, batch.interval)
        for topic in batch.topics { topics[topic.id] = topic.text }
        for site in batch.sites { sites[site.number] = site.frames }
        for thread in batch.threads {
            noteLoss(thread, at: batch.clock.ticks)
            add(thread)
        }
        asked = (asked.newer, batch.clock.ticks)
    }

    private mutating func noteLoss(_ batch: TraceBatch.Thread, at end: UInt64) {
        if batch.overwritten > 0 {
            let first = max(newest[batch.ring] ?? 0, asked.older)
            losses.add(from: first, to: batch.events.first?.ticks ?? end)
        }
        if let last = batch.events.last { newest[batch.ring] = last.ticks }
    }

    private mutating func add(_ batch: TraceBatch.Thread) {
        // Numbers come from another process, which may send any.
        overwritten &+= batch.overwritten
        // The overwritten events may include the one that says that the ring got another thread.
        var index = batch.overwritten > 0 ? nil : current[batch.ring]
        // The events before the ring's first change belong to the thread that had it until then.
        if index == nil, let change = batch.events.first(where: { $0.kind == .thread }),
            change.post != 0
        {
            index = self.index(of: Int32(truncatingIfNeeded: change.post), "")
        }
        for event in batch.events {
            if event.kind == .thread {
                index = self.index(of: Int32(truncatingIfNeeded: event.subject), "")
            } else if event.kind == .registered {
                registrations.add(event)
            } else {
                let known = index ?? self.index(of: batch.number, batch.name)
                index = known
                threads[known].events.append(event)
            }
        }
        current[batch.ring] = index
        // The name is that of the ring's newest thread, and empty once that has ended.
        if let index, threads[index].number == batch.number, !batch.name.isEmpty {
            threads[index].name = batch.name
        }
    }

    private mutating func index(of number: Int32, _ name: String) -> Int {
        if let known = threads.lastIndex(where: { $0.number == number }) { return known }
        threads.append(Thread(number: number, name: name))
        return threads.count - 1
    }

    /// The number of traced posts.
    package var posts: Int { threads.reduce(0) { $0 + $1.events.count { $0.kind == .posted } } }

    /// The call sites of the posts, by their numbers.
    package var usedSites: [UInt32: [TraceBatch.Frame]] {
        let used = Set(threads.flatMap { $0.events.compactMap(\.site) })
        return sites.filter { used.contains($0.key) }
    }

    /// The time from which on everything was kept by the last ``keepLast(_:waiting:)``.
    package private(set) var keptSince: UInt64 = 0

    /// Leaves out the events that are older than this many nanoseconds at the end, and threads that
    /// have ended and have no events left.
    ///
    /// - Parameter waitingNanoseconds: Of deliveries that still wait for their handler then, the
    ///   posts are kept for so long, and when they were put into the mailbox: the time that a
    ///   delivery has waited is known by that alone.
    package mutating func keepLast(_ nanoseconds: UInt64, waiting waitingNanoseconds: UInt64 = 0) {
        let end = clock.end
        let begin = end > nanoseconds ? end - nanoseconds : 0
        let clock = clock
        let waiting =
            waitingNanoseconds <= nanoseconds
            ? []
            : waiting(since: end > waitingNanoseconds ? end - waitingNanoseconds : 0, at: begin)
        let posts = Set(waiting.map(\.post))
        for index in threads.indices {
            threads[index].events.removeAll { event in
                if clock.time(event.ticks) >= begin { return false }
                switch event.kind {
                case .queued, .due: return !waiting.contains(Delivery(event))
                case .posted, .received: return !posts.contains(event.post)
                default: return true
                }
            }
        }
        keptSince = begin
        registrations.forget { clock.time($0) < begin }
        losses.forget { clock.time($0) < begin }
        removeEmptyThreads()
    }

    /// The ids that more than one observation got in the time of which everything was kept: other
    /// things than events can't be told apart by them.
    package var reusedIDs: Set<UInt64> {
        let (clock, begin) = (clock, keptSince)
        return registrations.reused { clock.time($0) >= begin }
    }

    /// A post's way to one registration.
    private struct Delivery: Hashable {
        let post: UInt64
        let registration: UInt64
        init(_ event: TraceEvent) { (post, registration) = (event.post, event.subject) }
    }

    /// The deliveries that waited at a time, and came into their mailbox before it, but not before
    /// another.
    private func waiting(since first: UInt64, at time: UInt64) -> Set<Delivery> {
        var waiting: Set<Delivery> = []
        var done: Set<Delivery> = []
        let clock = clock
        for thread in threads {
            for event in thread.events {
                switch event.kind {
                case .queued, .due:
                    if (first..<max(first, time)).contains(clock.time(event.ticks)) {
                        waiting.insert(Delivery(event))
                    }
                case .delivered, .replaced, .undeliverable, .expired, .cancelled:
                    if clock.time(event.ticks) < time { done.insert(Delivery(event)) }
                default: break
                }
            }
        }
        return waiting.subtracting(done)
    }

    /// A thread to which a ring belongs may make more events.
    private mutating func removeEmptyThreads() {
        let rings = Set(current.values)
        var places: [Int: Int] = [:]
        var kept: [Thread] = []
        for (index, thread) in threads.enumerated()
        where !thread.events.isEmpty || rings.contains(index) {
            places[index] = kept.count
            kept.append(thread)
        }
        threads = kept
        current = current.compactMapValues { places[$0] }
    }
}
