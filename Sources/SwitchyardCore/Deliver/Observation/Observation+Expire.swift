// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

extension Observation {
    /// Tells the problem hook of its center.
    func report(_ problem: DeliveryProblem) { owner.report(problem) }

    /// Ends the observation, because its observer object has died.
    func expire() {
        owner.countExpired()
        cancel()
    }

    /// Ends the observation if its observer object has died. Nothing tells when that happens, so
    /// this asks, where the answer matters before the next post.
    package func expireIfObserverDied() {
        #if !canImport(ObjectiveC)
        // A handler pins the memory of its observer.
        guard let observer = UnsafeRawPointer(bitPattern: observerIdentity), beginUse() else {
            return
        }
        let isGone = switchyard_is_deallocating(observer)
        endOpenClaim()
        if isGone { expire() }
        #endif
    }
}
