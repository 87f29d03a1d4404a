// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Observation {
    /// Tells the problem hook of its center.
    func report(_ problem: DeliveryProblem) { owner.report(problem) }

    /// Ends it, because its observer object has died.
    func expire() {
        owner.countExpired()
        cancel()
    }
}
