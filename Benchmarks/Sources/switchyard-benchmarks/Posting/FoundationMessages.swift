// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// Foundation's typed messages of the main actor (SF-0011), which are delivered before `post`
/// returns when they are posted there, as here. (Its `AsyncMessage` never is.)
struct FoundationMessages: PostingSubject {
    let name = "Foundation MainActorMessage"
    let role = Role.peer

    private typealias Center = Foundation.NotificationCenter

    private struct PingMessage: Foundation.NotificationCenter.MainActorMessage {
        typealias Subject = Thing
        static var name: Notification.Name { Notification.Name("SwitchyardBenchmarksMessage") }
        var value: Int64
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .none = question.others else { return nil }
        return switch question.kind {
        case .typed: observed(question.observers, isOfThing: false)
        case .typedWithSubject: observed(question.observers, isOfThing: true)
        // Foundation's messages hold no observers, and the other rows do not ask for typed
        // messages.
        case .method, .named, .namedInParts, .namedWithInstance, .namedWithValue: nil
        }
    }

    private func observed(_ observers: Int, isOfThing: Bool) -> Workload {
        let center = Center()
        let thing = Thing()
        // The benchmarks run on the main thread.
        let tokens = MainActor.assumeIsolated {
            (0..<Int64(observers)).map { offset in
                let heard: @MainActor @Sendable (PingMessage) -> Void = { hear($0.value, offset) }
                return center.addObserver(
                    of: isOfThing ? thing : nil, for: PingMessage.self, using: heard)
            }
        }
        return posting(
            to: observers, keeping: (tokens, thing)
        ) { count in
            MainActor.assumeIsolated {
                for value in 0..<count {
                    center.post(PingMessage(value: Int64(value)), subject: thing)
                }
            }
        }
    }
}
