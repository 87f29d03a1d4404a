// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Switchyard

/// The message of the second thread when the topics are apart.
struct Pong: NotificationMessage {
    var value: Int64
}

extension Notification.Name {
    static let pong = Notification.Name("SwitchyardBenchmarksPong")
}

/// Ours, on one center.
struct SwitchyardThreads: ThreadsSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    func workload(for question: ThreadsQuestion) -> Workload? {
        question.isTyped ? typed(question) : named(question)
    }

    private func typed(_ question: ThreadsQuestion) -> Workload {
        let center = Switchyard.NotificationCenter()
        let tokens = [
            center.observe(Ping.self) { hear($0.value, 0) },
            center.observe(Pong.self) { hear($0.value, 0) },
        ]
        let isApart = question.isApart
        return race(question.threads, keeping: tokens) { thread, count in
            if isApart, thread > 0 {
                for value in 0..<count { center.post(Pong(value: Int64(value))) }
            } else {
                for value in 0..<count { center.post(Ping(value: Int64(value))) }
            }
        }
    }

    private func named(_ question: ThreadsQuestion) -> Workload {
        let center = Switchyard.NotificationCenter()
        let tokens = [Notification.Name.ping, .pong].map { name in
            center.observe(name) { _ in hear(0, 0) }
        }
        let isApart = question.isApart
        return race(question.threads, keeping: tokens) { thread, count in
            let name = isApart && thread > 0 ? Notification.Name.pong : .ping
            for _ in 0..<count { center.post(name: name, object: nil) }
        }
    }
}
