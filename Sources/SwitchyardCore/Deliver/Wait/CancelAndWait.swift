// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension Observation {
    /// Ends the registration and waits for what other threads and tasks do in its handler.
    ///
    /// - Returns: False if the wait would be a cycle, so that it would never end. The registration
    ///   has ended all the same; the cycle is reported to the center's problem hook, and nothing is
    ///   waited for.
    package func cancelAndWait() -> Bool {
        // Flushes the delivery that the pace has put off, if that was asked for. It is made on this
        // thread if the observation has no mailbox, or if this thread would have to drain it: the
        // thread waits below.
        cancel(flushing: mailbox?.isHeldByCaller ?? true)
        let signal = ThreadSignal()
        let look = Callback<Void> { signal.raise() }
        let isInside =
            HandlerTask.claims(of: self) > 0 || HazardRecord.callersContain(address)
        let others = watchOthers(look, isInside, WaitGraph.heldByThisThread)
        if case .running = others { while isInFlightElsewhere { _ = signal.wait() } }
        forgetOthers(others, look, isInside)
        return others.willHaveEnded
    }

    /// Cancels and suspends until no delivery is under way any more, where ``cancelAndWait()``
    /// blocks the thread.
    package func cancelAndDrain() async -> Bool {
        cancel()
        let signal = TaskSignal()
        let look = Callback<Void> { signal.raise() }
        let isInside = HandlerTask.claims(of: self) > 0
        let others = watchOthers(look, isInside, WaitGraph.heldByThisTask)
        if case .running = others { while isInFlightElsewhere { await signal.wait() } }
        forgetOthers(others, look, isInside)
        return others.willHaveEnded
    }

    /// The calls of the handler that a caller has to wait for.
    private enum Others {
        case ended
        /// The wait would be this cycle. `isWatched` says whether `look` was registered: it was not
        /// if another call of the handler waits already.
        case unending(cycle: String, isWatched: Bool)
        case running(WaitGraph.Wait)

        var willHaveEnded: Bool { if case .unending = self { false } else { true } }
    }

    /// Has `look` called for each delivery that ends, and finds the deliveries to wait for. To be
    /// ended by ``forgetOthers(_:_:_:)``.
    private func watchOthers(
        _ look: Callback<Void>, _ isInside: Bool, _ holders: @autoclosure () -> [WaitGraph.Resource]
    ) -> Others {
        guard DeliveryEnds.watch(address, look, fromInside: isInside) else {
            let cycle = "two calls of \(waitResource.label) would wait for each other"
            return .unending(cycle: cycle, isWatched: false)
        }
        state.bitwiseOr(State.awaited, ordering: .sequentiallyConsistent)
        // Another thread may have cancelled first and not have come to its fence yet.
        switchyard_heavy_fence()
        guard isInFlightElsewhere else { return .ended }
        return beginWait(holders())
    }

    private func forgetOthers(_ others: Others, _ look: Callback<Void>, _ isInside: Bool) {
        switch others {
        case .running(let wait):
            WaitGraph.end(wait)
            DeliveryEnds.forget(address, look, fromInside: isInside)
            // A thread that ended inside the handler has not released it.
            if listensForEnds { deliveryEnded() }
        case .ended:
            DeliveryEnds.forget(address, look, fromInside: isInside)
        case .unending(let cycle, let isWatched):
            if isWatched { DeliveryEnds.forget(address, look, fromInside: isInside) }
            // Last: the hook is the user's code, which may end the thread.
            report(.waitCycle(cycle))
        }
    }

    /// Whether another thread or task than the caller's is inside the handler.
    private var isInFlightElsewhere: Bool {
        // No thread is inside once the handler is released, and none comes in. Hazard slots that
        // name the observation now are of deliveries about to find that it has ended; these tell
        // nobody when they go.
        if state.load(ordering: .acquiring) & State.released != 0 { return false }
        // Reads the claims before `flushes`. If a flushed delivery begins between the two reads,
        // this counts one claim too many, and the caller looks again. In the other order, one claim
        // too few would hide a running call.
        let claims = Int(openClaims.load(ordering: .sequentiallyConsistent))
        var own = HandlerTask.claims(of: self)
        // The caller is inside the handler. Deliveries that the cancellation flushed are made after
        // that call, so it must not wait for them.
        if own > 0 { own += flushes }
        if claims > own { return true }
        for record in HazardRecord.All()
        where record.pointee.contains(address) && !record.pointee.isCallers {
            return true
        }
        return false
    }

    private func beginWait(_ holders: [WaitGraph.Resource]) -> Others {
        // The wait passes over this thread's own call of the handler.
        let others = holders.filter { $0 != waitResource }
        let flushed = flushes > 0 ? mailbox?.waitResources ?? [] : []
        do throws(WaitGraph.Cycle) {
            let targets = [waitResource] + flushed
            return .running(try WaitGraph.begin(others, for: targets))
        } catch {
            return .unending(cycle: error.description, isWatched: true)
        }
    }

    /// Deliveries that a cancellation flushed and that are still to come.
    private var flushes: Int { flow?.flushes ?? 0 }
}
