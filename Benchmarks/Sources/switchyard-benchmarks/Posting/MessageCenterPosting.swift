// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import SwitchyardCore

/// Ours without Foundation: the core's own center, which has typed messages alone.
struct MessageCenterPosting: PostingSubject {
    let name = "Switchyard MessageCenter"
    let role = Role.switchyard

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .typed = question.kind else { return nil }
        let center = MessageCenter()
        // The closure is not the very one of the other row: of two equal ones, the compiler makes
        // one call the other.
        let tokens = (0..<Int32(question.observers)).map { offset in
            center.observe(Ping.self) { hear($0.value, Int64(offset)) }
        }
        return posting(to: question.observers, keeping: tokens) { count in
            for value in 0..<count { center.post(Ping(value: Int64(value))) }
        }
    }
}
