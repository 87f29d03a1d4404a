// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// Names for observers, made before anything is counted.
enum ObserverNames {
    /// Makes so many names, all the same or each another.
    static func make(_ count: Int, same: Bool) -> [Notification.Name] {
        (0..<count).map { Notification.Name("a name of an observer, number \(same ? 0 : $0)") }
    }
}

/// Foundation's center, by name: its typed messages are kept in the same way.
struct FoundationRegistering: RegisteringSubject {
    let name = "Foundation"
    let role = Role.peer

    private typealias Center = Foundation.NotificationCenter

    func workload(for question: RegisteringQuestion) -> Workload? {
        switch question {
        case .pair(_, let others):
            pairs(beside: others)
        case .bytes(.typed, _, _):
            nil
        case .bytes(.named, let count, let isSameName):
            bytes(count, ObserverNames.make(count, same: isSameName))
        }
    }

    private func pairs(beside others: Int) -> Workload {
        let center = Center()
        let name = Notification.Name("SwitchyardBenchmarksPing")
        let tokens = (0..<Int64(others)).map { offset in
            center.addObserver(forName: name, object: nil, queue: nil) { _ in hear(0, offset) }
        }
        return .timed(keeping: tokens) { count in
            for offset in 0..<Int64(count) {
                let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
                    hear(0, offset)
                }
                center.removeObserver(token)
            }
        }
    }

    private func bytes(_ count: Int, _ names: [Notification.Name]) -> Workload {
        bytes(count) { count in
            let center = Center()
            var tokens: [any NSObjectProtocol] = []
            tokens.reserveCapacity(count)
            for offset in 0..<count {
                let token = center.addObserver(
                    forName: names[offset], object: nil, queue: nil
                ) { _ in hear(0, Int64(offset)) }
                tokens.append(token)
            }
            return (center, tokens)
        }
    }
}
