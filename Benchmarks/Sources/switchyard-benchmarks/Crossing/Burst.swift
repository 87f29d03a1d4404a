// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// A burst of messages, as fast as threads can send them, until the last has been received.
enum Burst {
    /// Counts what comes.
    private final class Counter: Receiver, @unchecked Sendable {
        // Sendable: set before a burst begins, then used by the place alone until `done`.
        var left = 0
        let done = DispatchSemaphore(value: 0)

        override func receive(_ value: Int) {
            left -= 1
            if left == 0 { done.signal() }
        }
    }

    static func workload(
        _ producers: Int, _ name: String, sender: (Receiver) -> (any Sender)?
    ) -> Workload? {
        let counter = Counter()
        guard let sender = sender(counter) else { return nil }
        return Workload(
            repeats: .burst(of: 1_000_000),
            measure: { count in
                let share = (count + producers - 1) / producers
                counter.left = share * producers
                let start = Stopwatch.now
                for _ in 0..<producers {
                    Thread.detachNewThread {
                        for value in 0..<share { sender.send(value) }
                    }
                }
                let isDone = counter.done.wait(timeout: .now() + 300) == .success
                precondition(isDone, "\(name): \(counter.left) messages of a burst did not come")
                return Double(Stopwatch.now - start) / Double(share * producers)
            }, finish: { sender.stop() })
    }
}
