// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Switchyard

/// Ours.
struct SwitchyardQueues: QueuesSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    struct Queue: CountedQueue {
        private let queue: Switchyard.NotificationQueue
        private let token: Any
        private let note = Notification(name: .ping)

        init() {
            let center = Switchyard.NotificationCenter()
            queue = Switchyard.NotificationQueue(notificationCenter: center)
            token = center.observe(.ping) { _ in benchmarks_sink_put(benchmarks_sink_get() + 1) }
        }

        func enqueueNow() {
            queue.enqueue(note, postingStyle: .now, coalesceMask: [], forModes: nil)
        }

        func enqueueAsap() {
            queue.enqueue(note, postingStyle: .asap, coalesceMask: [], forModes: nil)
        }

        func enqueueAsapOntoOne() {
            queue.enqueue(note, postingStyle: .asap, coalesceMask: .onName, forModes: nil)
        }

        func enqueueOther(_ index: Int) {
            queue.enqueue(
                Notification(name: Notification.Name("other name \(index)")), postingStyle: .asap,
                coalesceMask: .onName, forModes: nil)
        }
    }
}
