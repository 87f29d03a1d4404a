// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The last step of a delivery through a mailbox: on a thread, and in a task.
extension AnyParcel {
    /// Delivers to `observation` on the calling thread, unless it has ended: the last step of a delivery
    /// through a mailbox.
    ///
    /// - Returns: The outcome of the delivery; nil if the observation has ended.
    func deliverUnderClaim(to observation: Observation) -> DeliveryOutcome? {
        let outcome = HazardRecord.calling(observation) {
            observation.claim() ? call(observation) : nil
        }
        if outcome == nil { observationEnded() }
        return outcome
    }

    /// Calls the handler of `observation`, which the caller has claimed.
    func call(_ observation: Observation) -> DeliveryOutcome {
        let outcome = observation.invoke { try deliver(to: observation.handler) }
        observation.count(outcome)
        return outcome
    }
}

// MARK: - Through a mailbox, in a task

extension AnyParcel {
    /// Delivers to `observation` in the calling task, unless it has ended.
    func deliverUnderOpenClaim(to observation: Observation) async {
        guard observation.beginOpenClaim() else { return observationEnded() }
        await callAsync(observation)
        observation.endOpenClaim()
    }

    /// Calls the async handler of `observation`, which the caller has claimed.
    func callAsync(_ observation: Observation) async {
        observation.count(await observation.invokeAsync { try work(for: observation.handler) })
    }
}
