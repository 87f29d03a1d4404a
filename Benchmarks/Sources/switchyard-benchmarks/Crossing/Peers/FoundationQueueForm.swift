// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// Foundation's center with `queue:`: the post waits until the queue is empty.
struct FoundationQueueForm: CrossingSubject {
    let name = "Foundation queue:"
    let role = Role.peer
    /// Two handlers that post to each other's queue would wait for each other, for ever.
    let canAnswer = false

    private final class Post: Sender, @unchecked Sendable {
        // Sendable: constant; the center may be used from any thread.
        private static let name = Notification.Name("SwitchyardBenchmarksCrossing")
        private let center = Foundation.NotificationCenter()
        /// Kept here: the registration does not, and without its queue nothing is delivered.
        private let queue = OperationQueue()
        private let token: any NSObjectProtocol

        init(_ receiver: Receiver) {
            queue.maxConcurrentOperationCount = 1
            token = center.addObserver(forName: Self.name, object: nil, queue: queue) { _ in
                receiver.receive(0)
            }
        }

        func send(_ value: Int) { center.post(name: Self.name, object: nil) }
        func stop() { center.removeObserver(token) }
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .operationQueue ? Post(receiver) : nil
    }
}
