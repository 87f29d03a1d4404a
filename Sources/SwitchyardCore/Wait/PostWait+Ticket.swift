// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension PostWait {
    /// One delivery that a post waits for. The post stops waiting for it when the ticket is
    /// released, whatever the outcome was.
    package final class Ticket: @unchecked Sendable {
        // Sendable: constant or atomic, but for one variable with its guard.
        private let wait: PostWait
        private let isOver = Atomic<Bool>(false)
        /// Whether the wait has counted what became of the delivery. Guard: the wait's state.
        var isCounted = false

        /// - Parameter resources: the resources that must be free for the delivery to be made.
        package init(_ wait: PostWait, _ resources: [WaitGraph.Resource]) {
            self.wait = wait
            wait.enter(ObjectIdentifier(self), resources)
        }

        deinit { end() }

        /// Says that the post waits for the delivery no longer. The ticket's end says so, too.
        package func end() {
            if isOver.exchange(true, ordering: .relaxed) { return }
            wait.leave(self)
        }

        /// Says that the delivery has moved on, and now needs other resources to be free.
        func needs(_ resources: [WaitGraph.Resource]) {
            wait.change(ObjectIdentifier(self), resources)
        }

        /// Says what became of the delivery.
        package func ended(with outcome: DeliveryOutcome) { wait.note(outcome, of: self) }

        /// Says that the target of the delivery has ended.
        ///
        /// - Returns: Whether the post still counts that: it may have ended its wait with an error
        ///   before.
        @discardableResult
        package func mailboxEnded(_ label: String) -> Bool {
            wait.note(ended: label, of: self)
        }

        /// Says that the observation ended while the delivery waited for room.
        func observationEnded() { wait.noteEndOfObservation() }
    }
}
