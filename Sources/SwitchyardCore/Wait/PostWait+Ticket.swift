// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension PostWait {
    /// One delivery that a post waits for. The post stops waiting for it when the ticket is
    /// released, whatever the outcome was.
    package final class Ticket: @unchecked Sendable {
        // Sendable: constant or atomic, but for two variables with their guard.
        private let wait: PostWait
        /// Whether the wait has counted what became of the delivery. Guard: the wait's state.
        var isCounted = false
        /// Whether the wait goes on without it. Guard: the wait's state.
        var hasLeft = false
        /// The address of the observation with whose end the delivery ends; 0 if there is none.
        private let observation: UInt
        private let hasBegun = Atomic<Bool>(false)

        /// - Parameters:
        ///   - resources: the resources that must be free for the delivery to be made.
        ///   - observation: the address of the observation with whose end the delivery ends; 0 if
        ///     there is none.
        package init(
            _ wait: PostWait, _ resources: [WaitGraph.Resource], of observation: UInt = 0
        ) {
            self.wait = wait
            self.observation = observation
            wait.enter(ObjectIdentifier(self), resources)
            if observation != 0 { AwaitedDeliveries.add(self, to: observation) }
        }

        deinit {
            if observation != 0 {
                AwaitedDeliveries.remove(ObjectIdentifier(self), of: observation)
            }
            end()
        }

        /// Says that the handler is being called.
        package func begins() { hasBegun.store(true, ordering: .relaxed) }

        /// Says that the handler is called no more. Does nothing if it has been called for this
        /// delivery: the post then waits until the payload has been released.
        func observationHasEnded() { if !hasBegun.load(ordering: .relaxed) { end() } }

        /// Says that the post waits for the delivery no longer. The ticket's end says so, too.
        package func end() { wait.leave(self) }

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
