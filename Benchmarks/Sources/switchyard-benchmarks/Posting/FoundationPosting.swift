// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// Foundation's center. It has no typed posts on the posting thread (those of `MainActorMessage`
/// are `FoundationMessages`), so a program that has none posts by name: that is what answers for
/// them.
struct FoundationPosting: PostingSubject {
    let name = "Foundation"
    let role = Role.peer

    private typealias Center = Foundation.NotificationCenter
    /// A name of Foundation's own, apart from Switchyard's with the same spelling.
    private static let ping = Notification.Name("SwitchyardBenchmarksPing")

    func workload(for question: PostingQuestion) -> Workload? {
        let center = Center()
        let others = observeOthers(question.others, center)
        return switch question.kind {
        case .typed, .named: closures(question.observers, center, object: nil, others)
        case .typedWithSubject, .namedWithInstance:
            closures(question.observers, center, object: Thing(), others)
        case .method: method(question.observers, center)
        // A value as object never matches in Foundation on Linux: nobody would be called.
        case .namedWithValue, .namedInParts: nil
        }
    }

    private func closures(
        _ observers: Int, _ center: Center, object: Thing?, _ others: [Any]
    ) -> Workload {
        let tokens = (0..<Int64(observers)).map { offset in
            center.addObserver(forName: Self.ping, object: object, queue: nil) { _ in
                hear(0, offset)
            }
        }
        guard let object else {
            return posting(to: observers, keeping: (tokens, others)) { count in
                for _ in 0..<count { center.post(name: Self.ping, object: nil) }
            }
        }
        return posting(to: observers, keeping: (tokens, others)) { count in
            for _ in 0..<count { center.post(name: Self.ping, object: object) }
        }
    }

    /// Linux has no selectors: a closure with a weak object stands for an observer that is not kept
    /// alive.
    private func method(_ observers: Int, _ center: Center) -> Workload {
        let listeners = (0..<observers).map { Listener(Int64($0)) }
        let tokens = listeners.map { listener in
            center.addObserver(forName: Self.ping, object: nil, queue: nil) { [weak listener] _ in
                listener?.heard(0)
            }
        }
        return posting(
            to: observers, keeping: (listeners, tokens)
        ) { count in
            for _ in 0..<count { center.post(name: Self.ping, object: nil) }
        }
    }

    /// Registers what does not match. Returns what keeps it alive.
    private func observeOthers(_ others: PostingQuestion.Others, _ center: Center) -> [Any] {
        switch others {
        case .none, .patterns:
            return []
        case .names(let count):
            return (0..<count).map { index in
                let name = Notification.Name("other name \(index)")
                return center.addObserver(forName: name, object: nil, queue: nil) { _ in
                    hear(0, 0)
                }
            }
        case .objects(let count):
            let things = (0..<count).map { _ in Thing() }
            let tokens = things.map { thing in
                center.addObserver(forName: Self.ping, object: thing, queue: nil) { _ in
                    hear(0, 0)
                }
            }
            return [things, tokens]
        }
    }
}
