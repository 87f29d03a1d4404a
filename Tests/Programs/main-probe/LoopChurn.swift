// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization

/// Threads whose run loop is named for deliveries, and that go without having run it.
enum LoopChurn {
    private final class Holder: @unchecked Sendable {
        // Sendable: main and the thread take turns.
        var loop: RunLoop?
    }

    private static let lost = Atomic<Int>(0)

    static func run(count: Int) {
        let center = Switchyard.NotificationCenter()
        center.onProblem { lost.wrappingAdd($0.count, ordering: .sequentiallyConsistent) }
        for _ in 0..<count / 4 { round(center) }
        let before = ThreadChurn.Held()
        for _ in 0..<count { round(center) }
        print(before)
        print(ThreadChurn.Held(settledLike: before))
        print(center.snapshot().entries.count)
        print(ThreadChurn.isSanitized ? "sanitized" : "plain")
        exit(0)
    }

    /// One thread that ends while a post waits for it, which is reported.
    private static func round(_ center: Switchyard.NotificationCenter) {
        let name = Notification.Name("probe")
        let (found, leave, holder) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Holder()
        )
        let expected = lost.load(ordering: .sequentiallyConsistent) + 1
        let thread = Thread {
            holder.loop = RunLoop.current
            found.signal()
            leave.wait()
        }
        thread.start()
        found.wait()
        guard let token = observe(name, holder, center) else { return }
        center.post(name: name, object: nil)
        leave.signal()
        while lost.load(ordering: .sequentiallyConsistent) < expected || !thread.isFinished {
            sched_yield()
        }
        token.cancel()
    }

    /// Observes on the loop, and keeps no reference to the loop.
    private static func observe(
        _ name: Notification.Name, _ holder: Holder, _ center: Switchyard.NotificationCenter
    ) -> Switchyard.NotificationCenter.ObservationToken? {
        defer { holder.loop = nil }
        return holder.loop.map { center.observe(name, on: .runLoop($0)) { _ in } }
    }
}
