// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Switchyard

extension Ping: NotificationMessage {}

/// A message like `Ping`, about an instance.
private struct PingOfThing: NotificationMessage {
    typealias Subject = Thing
    var value: Int64
}

extension Listener {
    fileprivate func heard(_ ping: Ping) { heard(ping.value) }
}

extension Notification.Name {
    static let ping = Notification.Name("SwitchyardBenchmarksPing")
    static let pingInParts = Notification.Name("switchyard.benchmarks.ping")
}

/// Ours, on a `NotificationCenter` of its own.
struct SwitchyardPosting: PostingSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    func workload(for question: PostingQuestion) -> Workload? {
        let center = Switchyard.NotificationCenter()
        let others = observeOthers(question.others, center)
        return switch question.kind {
        case .typed: typed(question.observers, center)
        case .typedWithSubject: typedWithSubject(question.observers, center)
        case .method: method(question.observers, center)
        case .named: named(question.observers, center, keeping: others)
        case .namedInParts: namedInParts(center, keeping: others)
        case .namedWithInstance:
            named(question.observers, center, object: Thing(), keeping: others)
        case .namedWithValue: named(question.observers, center, object: "converter")
        }
    }

    private func typed(_ observers: Int, _ center: Switchyard.NotificationCenter) -> Workload {
        let tokens = (0..<Int64(observers)).map { offset in
            center.observe(Ping.self) { hear($0.value, offset) }
        }
        return posting(to: observers, keeping: tokens) { count in
            for value in 0..<count { center.post(Ping(value: Int64(value))) }
        }
    }

    private func typedWithSubject(
        _ observers: Int, _ center: Switchyard.NotificationCenter
    ) -> Workload {
        let thing = Thing()
        // The closure is not the very one of another row: of two equal ones, the compiler makes one
        // call the other.
        let tokens = (0..<UInt32(observers)).map { offset in
            center.observe(PingOfThing.self, of: thing) { hear($0.value, Int64(offset)) }
        }
        return posting(to: observers, keeping: tokens) { count in
            for value in 0..<count {
                center.post(PingOfThing(value: Int64(value)), subject: thing)
            }
        }
    }

    private func method(_ observers: Int, _ center: Switchyard.NotificationCenter) -> Workload {
        let listeners = (0..<observers).map { Listener(Int64($0)) }
        for listener in listeners { center.observe(Ping.self, with: listener, Listener.heard) }
        return posting(to: observers, keeping: listeners) { count in
            for value in 0..<count { center.post(Ping(value: Int64(value))) }
        }
    }

    private func named(
        _ observers: Int, _ center: Switchyard.NotificationCenter, object: (any Sendable)? = nil,
        keeping others: [Any] = []
    ) -> Workload {
        let tokens = (0..<Int64(observers)).map { offset in
            center.observe(.ping, of: object) { _ in hear(0, offset) }
        }
        guard let object else {
            return posting(to: observers, keeping: (tokens, others)) { count in
                for _ in 0..<count { center.post(name: .ping, object: nil) }
            }
        }
        return posting(to: observers, keeping: (tokens, others)) { count in
            for _ in 0..<count { center.post(name: .ping, object: object) }
        }
    }

    private func namedInParts(
        _ center: Switchyard.NotificationCenter, keeping others: [Any]
    ) -> Workload {
        let token = center.observe(.pingInParts) { _ in hear(0, 0) }
        return posting(to: 1, keeping: (token, others)) { count in
            for _ in 0..<count { center.post(name: .pingInParts, object: nil) }
        }
    }

    /// Registers what does not match. Returns what keeps it registered.
    private func observeOthers(
        _ others: PostingQuestion.Others, _ center: Switchyard.NotificationCenter
    ) -> [Any] {
        switch others {
        case .none:
            return []
        case .names(let count):
            return (0..<count).map { index in
                center.observe(Notification.Name("other name \(index)")) { _ in hear(0, 0) }
            }
        case .objects(let count):
            let things = (0..<count).map { _ in Thing() }
            let tokens = things.map { thing in
                center.observe(.ping, of: thing) { _ in hear(0, 0) }
            }
            return [things, tokens]
        case .patterns(let count):
            return (0..<count).compactMap { index in
                NamePattern("switchyard.other\(index).*").map { pattern in
                    center.observe(matching: pattern) { _ in hear(0, 0) }
                }
            }
        }
    }
}
