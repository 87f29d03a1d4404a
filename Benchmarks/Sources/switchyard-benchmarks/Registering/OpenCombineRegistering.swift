// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import OpenCombine

/// OpenCombine's `PassthroughSubject`, a sink each.
struct OpenCombineRegistering: RegisteringSubject {
    let name = "OpenCombine"
    let role = Role.peer

    func workload(for question: RegisteringQuestion) -> Workload? {
        switch question {
        case .pair(.typed, let others): pairs(beside: others)
        case .bytes(.typed, let count, isSameName: true): bytes(count)
        // OpenCombine's subject has no names.
        case .pair(.named, _), .bytes: nil
        }
    }

    private func pairs(beside others: Int) -> Workload {
        let subject = PassthroughSubject<Ping, Never>()
        let sinks = (0..<Int64(others)).map { offset in
            subject.sink { hear($0.value, offset) }
        }
        return .timed(keeping: sinks) { count in
            for offset in 0..<Int64(count) {
                subject.sink { hear($0.value, offset) }.cancel()
            }
        }
    }

    private func bytes(_ count: Int) -> Workload {
        bytes(count) { count in
            let subject = PassthroughSubject<Ping, Never>()
            var sinks: [AnyCancellable] = []
            sinks.reserveCapacity(count)
            for offset in 0..<Int64(count) {
                sinks.append(subject.sink { hear($0.value, offset) })
            }
            return (subject, sinks)
        }
    }
}
