// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import OpenCombine

/// OpenCombine's `PassthroughSubject`. Combine asks for values one after the other, so two threads
/// that send at once are beyond its contract; it takes a lock and bears it.
struct OpenCombineThreads: ThreadsSubject {
    let name = "OpenCombine"
    let role = Role.peer

    private final class Topic: @unchecked Sendable {
        // Sendable: `PassthroughSubject` locks; the rest is constant.
        let subject = PassthroughSubject<Ping, Never>()
        private let sink: AnyCancellable

        init() { sink = subject.sink { hear($0.value, 0) } }
    }

    func workload(for question: ThreadsQuestion) -> Workload? {
        // OpenCombine's subject has no names.
        guard question.isTyped else { return nil }
        let topics = [Topic(), Topic()]
        let isApart = question.isApart
        return race(question.threads) { thread, count in
            let topic = topics[isApart ? thread : 0]
            for value in 0..<count { topic.subject.send(Ping(value: Int64(value))) }
        }
    }
}
