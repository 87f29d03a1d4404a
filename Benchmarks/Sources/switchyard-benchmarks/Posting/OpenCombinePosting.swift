// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import OpenCombine

/// OpenCombine's `PassthroughSubject`: one for each kind of event, so nothing is looked up. It has
/// neither names nor objects.
struct OpenCombinePosting: PostingSubject {
    let name = "OpenCombine"
    let role = Role.peer

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .none = question.others else { return nil }
        return switch question.kind {
        case .typed: typed(question.observers)
        case .method: method(question.observers)
        case .typedWithSubject, .named, .namedInParts, .namedWithInstance, .namedWithValue: nil
        }
    }

    private func typed(_ observers: Int) -> Workload {
        let subject = PassthroughSubject<Ping, Never>()
        let sinks = (0..<Int64(observers)).map { offset in
            subject.sink { hear($0.value, offset) }
        }
        return posting(to: observers, keeping: sinks) { count in
            for value in 0..<count { subject.send(Ping(value: Int64(value))) }
        }
    }

    private func method(_ observers: Int) -> Workload {
        let subject = PassthroughSubject<Ping, Never>()
        let listeners = (0..<observers).map { Listener(Int64($0)) }
        let sinks = listeners.map { listener in
            subject.sink { [weak listener] in listener?.heard($0.value) }
        }
        return posting(
            to: observers, keeping: (listeners, sinks)
        ) { count in
            for value in 0..<count { subject.send(Ping(value: Int64(value))) }
        }
    }
}
