// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Claims: whether a delivery may start.
extension Observation {
    /// For a handler that ``_AnyDeliveryHandler/claimsOnce``: whether it may call the user's code.
    /// Called within a delivery that was claimed.
    package func claimOnce() -> Bool {
        !has(State.onceInHandler) || claimAndRemove() || takeFlushClaim()
    }

    private func takeFlushClaim() -> Bool {
        let kept = ~State.claimedForFlush
        return state.bitwiseAnd(kept, ordering: .acquiringAndReleasing).oldValue & ~kept != 0
    }

    /// Claims a delivery that is not bound to a thread, for code that may suspend; to be ended by
    /// ``endOpenClaim()``. False when the observation has ended.
    package func beginOpenClaim() -> Bool {
        openClaims.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if claim() { return true }
        endOpenClaim()
        return false
    }

    /// Begins an open claim for code that uses the handler and delivers nothing: a one-shot
    /// observation can still be delivered to. To be ended by ``endOpenClaim()``; false if the
    /// observation is cancelled.
    func beginUse() -> Bool {
        openClaims.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if !isCancelled { return true }
        endOpenClaim()
        return false
    }

    /// Claims a one-shot observation for the delivery that a cancellation flushes, also one that
    /// claims in its handler: the observation ends before that is called. The caller has begun a
    /// use (``beginUse()``), which becomes the delivery's.
    ///
    /// - Returns: False if another delivery has used it up.
    func claimForFlush() -> Bool {
        if !has(State.once | State.onceInHandler) { return true }
        guard claimAndRemove() else { return false }
        if has(State.onceInHandler) {
            state.bitwiseOr(State.claimedForFlush, ordering: .acquiringAndReleasing)
        }
        return true
    }

    /// Ends what ``beginOpenClaim()`` or ``beginUse()`` began.
    package func endOpenClaim() {
        openClaims.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        if listensForEnds { deliveryEnded() }
    }

    func claimOnce(_ seen: UInt32) -> Bool {
        seen & State.cancelled == 0 && claimAndRemove()
    }

    private func claimAndRemove() -> Bool {
        guard markCancelled() else { return false }
        _ = withOwner { $0.remove(self) }
        return true
    }

    /// Turns the state to cancelled; true for the one caller who did.
    func markCancelled() -> Bool {
        let before = state.bitwiseOr(State.cancelled, ordering: .sequentiallyConsistent).oldValue
        return before & State.cancelled == 0
    }
}
