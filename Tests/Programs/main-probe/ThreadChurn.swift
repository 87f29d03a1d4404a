// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Threads that come, register, hear something and go. The memory and the files of the process must
/// not grow.
enum ThreadChurn {
    struct Held: CustomStringConvertible {
        let descriptors: Int
        let threads: Int
        let kilobytes: Int

        init() {
            let files = FileManager.default
            descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            let resident = pages.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            kilobytes = resident * 4
        }

        /// Measures when no more threads and files are left than `before`, or after 20 seconds: the
        /// system needs a moment to remove a thread that has ended.
        init(settledLike before: Held) {
            let limit = ContinuousClock.now + .seconds(20)
            self.init()
            while threads > before.threads || descriptors > before.descriptors,
                ContinuousClock.now < limit
            {
                sched_yield()
                self.init()
            }
        }

        var description: String { "\(descriptors) \(threads) \(kilobytes)" }
    }

    /// True: a sanitizer's runtime is in the process, which keeps memory of its own for each
    /// thread.
    static var isSanitized: Bool { dlsym(nil, "__tsan_init") != nil }

    static func run(count: Int) {
        let center = Switchyard.NotificationCenter()
        center.onProblem { _ in }
        for _ in 0..<count / 4 { round(center) }
        let before = Held()
        for _ in 0..<count { round(center) }
        print(before)
        print(Held(settledLike: before))
        print(center.snapshot().entries.count)
        print(isSanitized ? "sanitized" : "plain")
        exit(0)
    }

    /// A thread that registers in two ways, hears one post, and ends while another post waits.
    private static func round(_ center: Switchyard.NotificationCenter) {
        let name = Notification.Name("probe")
        let (ready, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            nonisolated(unsafe) var heard = 0
            let token = center.observe(name, on: .thisThread) { _ in heard += 1 }
            let again = center.observe(name, on: .runLoop(.current)) { _ in heard += 1 }
            ready.signal()
            while heard == 0 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            center.post(name: name, object: nil)
            token.cancel()
            again.cancel()
            ended.signal()
        }
        thread.start()
        ready.wait()
        center.post(name: name, object: nil)
        ended.wait()
        // The loop waits until the thread has ended: its mailbox is closed by then.
        while !thread.isFinished { sched_yield() }
    }
}
