// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// A message to another place and its answer, again and again.
enum RoundTrip {
    /// The far end: answers.
    private final class Echo: Receiver, @unchecked Sendable {
        // Sendable: set before the first trip.
        var back: (any Sender)?

        override func receive(_ value: Int) { back?.send(value) }
    }

    /// The near end: takes the time, and sends again.
    private final class Timer: Receiver, @unchecked Sendable {
        // Sendable: set before the first trip, then used by the place alone until `done`.
        var there: (any Sender)?
        var nanoseconds: [Double] = []
        var start: Int64 = 0
        let done = DispatchSemaphore(value: 0)

        override func receive(_ value: Int) {
            let now = Stopwatch.now
            nanoseconds.append(Double(now - start))
            if value == 0 {
                done.signal()
            } else {
                start = Stopwatch.now
                there?.send(value - 1)
            }
        }

        /// The median of so many trips, in microseconds.
        func median(of count: Int) -> Double {
            nanoseconds.removeAll(keepingCapacity: true)
            nanoseconds.reserveCapacity(count + 1)
            start = Stopwatch.now
            // One more round trip, which another thread begins and which does not count.
            there?.send(count)
            let isDone = done.wait(timeout: .now() + 300) == .success
            precondition(isDone, "a message did not come back")
            return (Statistics.median(Array(nanoseconds.dropFirst())) ?? .nan) / 1000
        }
    }

    static func workload(
        _ isOnOneProcessor: Bool, sender: (Receiver) -> (any Sender)?
    ) -> Workload? {
        let timer = Timer()
        let echo = Echo()
        guard let there = sender(echo), let back = sender(timer) else { return nil }
        timer.there = there
        echo.back = back
        return Workload(
            measure: { count in
                if isOnOneProcessor { benchmarks_pin() }
                defer { if isOnOneProcessor { benchmarks_unpin() } }
                return timer.median(of: count)
            },
            finish: {
                there.stop()
                back.stop()
                timer.there = nil
                echo.back = nil
            })
    }
}
