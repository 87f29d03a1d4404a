// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// Foundation's center. Its typed messages can't be posted by two threads and delivered there, so
/// it posts by name in both rows.
struct FoundationThreads: ThreadsSubject {
    let name = "Foundation"
    let role = Role.peer

    func workload(for question: ThreadsQuestion) -> Workload? {
        let center = Foundation.NotificationCenter()
        let ping = Notification.Name("SwitchyardBenchmarksPing")
        let pong = Notification.Name("SwitchyardBenchmarksPong")
        let tokens = [ping, pong].map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { _ in hear(0, 0) }
        }
        let isApart = question.isApart
        return race(question.threads, keeping: tokens) { thread, count in
            let name = isApart && thread > 0 ? pong : ping
            for _ in 0..<count { center.post(name: name, object: nil) }
        }
    }
}
