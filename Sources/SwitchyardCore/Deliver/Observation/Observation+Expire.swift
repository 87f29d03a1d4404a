// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

extension Observation {
    /// Tells the problem hook of its center.
    func report(_ problem: DeliveryProblem) { owner.report(problem) }

    /// The registration, for a report.
    var problemSource: ProblemSource {
        ProblemSource(topic: owner.topic.description, origin: origin)
    }

    /// Ends the observation, because its observer object has died.
    ///
    /// - Parameter isClaimed: whether the caller's claim has ended it already, as a one-shot one.
    @inline(never)
    func expire(isClaimed: Bool = false) {
        // Two posts may find the death at once.
        if end() || isClaimed { owner.countExpired() }
    }

    /// Ends the observation if its observer object has died. Nothing tells when that happens, so
    /// this asks, where the answer matters before the next post.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    package func expireIfObserverDied() -> Bool {
        guard observerIdentity != 0, beginUse() else { return false }
        let isGone = observerIsGone
        endOpenClaim()
        if isGone { expire() }
        return isGone
    }

    /// Whether the observer object has died, so that this call ends the observation. For callers
    /// that use the observation.
    var expiresNow: Bool {
        guard observerIsGone else { return false }
        expire()
        return true
    }

    /// Whether the observer object, if there is one, has died. For callers that use the
    /// observation.
    var observerIsGone: Bool {
        #if canImport(ObjectiveC)
        return observerIdentity != 0 && handler._withUnsafeGuaranteedRef { $0.observerIsGone }
        #else
        // A handler pins the memory of its observer.
        guard let observer = UnsafeRawPointer(bitPattern: observerIdentity) else { return false }
        return switchyard_is_deallocating(observer)
        #endif
    }
}

// MARK: - The end of the center

extension Observation {
    /// Tells the handler that its center has gone.
    func tellCenterEnded() {
        guard beginUse() else { return }
        // A sequence takes nothing after its end.
        if let flow, withHandler({ (handler: _AnyDeliveryHandler) in handler.isSequence }) {
            flow.deliverPutOff { [self] in tellHandlerThatCenterEnded() }
        } else {
            tellHandlerThatCenterEnded()
        }
    }

    /// Ends the use of the observation that the caller has begun.
    private func tellHandlerThatCenterEnded() {
        withHandler { (handler: _AnyDeliveryHandler) in handler.centerEnded() }
        endOpenClaim()
    }
}
