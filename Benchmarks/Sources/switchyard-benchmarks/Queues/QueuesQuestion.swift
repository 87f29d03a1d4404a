// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// The entries that are put into a notification queue.
enum QueuesQuestion {
    /// Posted before `enqueue` returns.
    case now
    /// Posted by the run loop, each.
    case asap
    /// Posted by the run loop, all of them as one.
    case coalescedOntoOne
    /// Coalescing while so many others wait, without the posting.
    case coalescedBeside(Int)
}

/// A notification queue with a center of its own, on which one observer counts what it hears.
protocol CountedQueue {
    init()
    /// Enqueues a notification of the name that is observed.
    func enqueueNow()
    func enqueueAsap()
    func enqueueAsapOntoOne()
    /// Enqueues one of another name.
    func enqueueOther(_ index: Int)
}

/// A kind of notification queue.
protocol QueuesSubject: Subject where Question == QueuesQuestion {
    associatedtype Queue: CountedQueue
}

extension QueuesSubject {
    func workload(for question: QueuesQuestion) -> Workload? {
        let queue = Queue()
        switch question {
        case .now:
            return counted(queue, isEachPosted: true) { $0.enqueueNow() }
        case .asap:
            return counted(queue, isEachPosted: true) { $0.enqueueAsap() }
        case .coalescedOntoOne:
            return counted(queue, isEachPosted: false) { $0.enqueueAsapOntoOne() }
        case .coalescedBeside(let others):
            for index in 0..<others { queue.enqueueOther(index) }
            return Workload(
                measure: { count in
                    Stopwatch.nanoseconds(count) { count in
                        for _ in 0..<count { queue.enqueueAsapOntoOne() }
                    }
                },
                finish: { RunLoopPasses.run() })
        }
    }

    /// Times `enqueue` with the posting, batch by batch so that what waits does not grow without
    /// end, and checks how many were posted: each, or one of a batch.
    private func counted(
        _ queue: Queue, isEachPosted: Bool, enqueue: @escaping (Queue) -> Void
    ) -> Workload {
        let name = name
        return .timed { count in
            var left = count
            while left > 0 {
                let batch = min(left, 1000)
                let expected = isEachPosted ? Int64(batch) : 1
                benchmarks_sink_put(0)
                for _ in 0..<batch { enqueue(queue) }
                RunLoopPasses.run(until: expected)
                precondition(
                    benchmarks_sink_get() == expected,
                    "\(name) posted \(benchmarks_sink_get()) of \(expected)")
                left -= batch
            }
        }
    }
}

/// The calling thread's run loop, pass by pass.
enum RunLoopPasses {
    /// Runs it until so many were heard, a hundred passes at most.
    static func run(until heard: Int64) {
        var passes = 0
        while benchmarks_sink_get() < heard, passes < 100 {
            run()
            passes += 1
        }
    }

    /// One pass that does not wait.
    static func run() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
}
