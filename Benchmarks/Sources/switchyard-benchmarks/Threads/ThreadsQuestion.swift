// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation
internal import Synchronization

/// A question about threads that post at once. Each topic has one observer.
struct ThreadsQuestion {
    /// Whether a message of a type of its own is posted, or a notification with a literal name.
    let isTyped: Bool
    let threads: Int
    /// Whether each thread has a topic of its own.
    let isApart: Bool
}

/// Something that several threads post to.
protocol ThreadsSubject: Subject where Question == ThreadsQuestion {}

extension ThreadsSubject {
    /// Times threads that each call `post` with their number, and how often to post: nanoseconds
    /// for each post of all threads together, from when the first begins to when the last has done.
    func race(
        _ threads: Int, keeping kept: Any = (),
        post: @escaping @Sendable (_ thread: Int, _ count: Int) -> Void
    ) -> Workload {
        let name = name
        return Workload(
            measure: { count in
                let race = Race(threads)
                for number in 0..<threads {
                    Thread.detachNewThread {
                        race.run {
                            benchmarks_sink_put(-1)
                            post(number, count)
                            precondition(
                                benchmarks_sink_get() >= 0, "\(name) did not call its handlers")
                        }
                    }
                }
                return Double(race.nanoseconds()) / Double(count * threads)
            }, finish: { withExtendedLifetime(kept) {} })
    }
}

/// Threads that start together.
private final class Race: Sendable {
    private struct Times {
        var start = Int64.max
        var end = Int64.min
    }

    private let threads: Int
    private let waiting: Atomic<Int>
    private let times = Mutex(Times())
    private let group = DispatchGroup()

    init(_ threads: Int) {
        self.threads = threads
        waiting = Atomic(threads)
        for _ in 0..<threads { group.enter() }
    }

    func run(_ body: () -> Void) {
        // The threads wait for each other without sleeping, or the first would be done before the
        // last woke up. They give way, in case there are fewer processors than threads.
        waiting.subtract(1, ordering: .acquiringAndReleasing)
        while waiting.load(ordering: .acquiring) > 0 { sched_yield() }
        let start = Stopwatch.now
        body()
        let end = Stopwatch.now
        times.withLock { times in
            times.start = min(times.start, start)
            times.end = max(times.end, end)
        }
        group.leave()
    }

    /// Waits for all, and says how long it took.
    func nanoseconds() -> Int64 {
        group.wait()
        return times.withLock { $0.end - $0.start }
    }
}
