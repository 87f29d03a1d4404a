// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Switchyard

/// Ours.
struct SwitchyardRegistering: RegisteringSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    private typealias Center = Switchyard.NotificationCenter

    func workload(for question: RegisteringQuestion) -> Workload? {
        switch question {
        case .pair(.typed, let others): typedPairs(beside: others)
        case .pair(.named, let others): namedPairs(beside: others)
        case .bytes(.typed, let count, isSameName: true): typedBytes(count)
        // The program has not so many types.
        case .bytes(.typed, _, isSameName: false): nil
        case .bytes(.named, let count, let isSameName): namedBytes(count, isSameName)
        }
    }

    private func typedPairs(beside others: Int) -> Workload {
        let center = Center()
        let tokens = (0..<Int64(others)).map { offset in
            center.observe(Ping.self) { hear($0.value, offset) }
        }
        return .timed(keeping: tokens) { count in
            for offset in 0..<Int64(count) {
                center.observe(Ping.self) { hear($0.value, offset) }.cancel()
            }
        }
    }

    private func namedPairs(beside others: Int) -> Workload {
        let center = Center()
        let tokens = (0..<Int64(others)).map { offset in
            center.observe(.ping) { _ in hear(0, offset) }
        }
        return .timed(keeping: tokens) { count in
            for offset in 0..<Int64(count) {
                center.observe(.ping) { _ in hear(0, offset) }.cancel()
            }
        }
    }

    private func typedBytes(_ count: Int) -> Workload {
        bytes(count) { count in
            let center = Center()
            var tokens: [ObservationToken] = []
            tokens.reserveCapacity(count)
            for offset in 0..<Int64(count) {
                tokens.append(center.observe(Ping.self) { hear($0.value, offset) })
            }
            return (center, tokens)
        }
    }

    private func namedBytes(_ count: Int, _ isSameName: Bool) -> Workload {
        let names = ObserverNames.make(count, same: isSameName)
        return bytes(count) { count in
            let center = Center()
            var tokens: [ObservationToken] = []
            tokens.reserveCapacity(count)
            for offset in 0..<count {
                tokens.append(
                    center.observe(names[offset]) { _ in hear(0, Int64(offset)) })
            }
            return (center, tokens)
        }
    }
}
