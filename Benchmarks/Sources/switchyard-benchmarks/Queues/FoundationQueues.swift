// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// Foundation's.
struct FoundationQueues: QueuesSubject {
    let name = "Foundation"
    let role = Role.peer

    struct Queue: CountedQueue {
        private let queue: Foundation.NotificationQueue
        private let token: Any
        private let note = Notification(name: Notification.Name("SwitchyardBenchmarksPing"))

        init() {
            let center = Foundation.NotificationCenter()
            queue = Foundation.NotificationQueue(notificationCenter: center)
            token = center.addObserver(forName: note.name, object: nil, queue: nil) { _ in
                benchmarks_sink_put(benchmarks_sink_get() + 1)
            }
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
