// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Observation {
    /// Ends the registration and waits for what other threads and tasks do in its handler.
    ///
    /// - Returns: False when that would wait for the caller, through others; it is reported.
    package func cancelAndWait() -> Bool {
        // What was put off can't come later on the thread that waits for it here.
        flush(inline: mailbox?.isCallers ?? true)
        cancel()
        let signal = ThreadSignal()
        return untilOthersEnd(
            Callback { signal.raise() }, WaitGraph.heldByThisThread,
            isInside: ThreadRecord.callersWords.contains(address)
        ) {
            while isInFlightElsewhere { _ = signal.wait() }
        }
    }

    /// As ``cancelAndWait()``, for async code.
    package func cancelAndDrain() async -> Bool {
        cancel()
        let signal = TaskSignal()
        let look = Callback<Void> { signal.raise() }
        let isInside = HandlerTask.claims(of: self) > 0
        guard DeliveryEnds.watch(self, look, fromInside: isInside) else {
            return reportTwoCalls()
        }
        defer { DeliveryEnds.forget(self, look, fromInside: isInside) }
        guard isInFlightElsewhere else { return true }
        guard let wait = beginWait(WaitGraph.heldByThisTask) else { return false }
        defer { WaitGraph.end(wait) }
        while isInFlightElsewhere { await signal.wait() }
        return true
    }

    private func untilOthersEnd(
        _ look: Callback<Void>, _ holders: @autoclosure () -> [WaitGraph.Place],
        isInside: Bool, _ block: () -> Void
    ) -> Bool {
        let isInside = isInside || HandlerTask.claims(of: self) > 0
        guard DeliveryEnds.watch(self, look, fromInside: isInside) else {
            return reportTwoCalls()
        }
        defer { DeliveryEnds.forget(self, look, fromInside: isInside) }
        guard isInFlightElsewhere else { return true }
        guard let wait = beginWait(holders()) else { return false }
        defer { WaitGraph.end(wait) }
        block()
        return true
    }

    /// Whether another thread or task than the caller's is inside the handler.
    private var isInFlightElsewhere: Bool {
        // Once the handler is released, nobody is inside, and nobody comes in. Marks that are seen
        // now are of deliveries about to find that it has ended; they tell nobody when they go.
        if state.load(ordering: .acquiring) & State.released != 0 { return false }
        var own = HandlerTask.claims(of: self)
        // What a cancellation flushed comes after the call that waits here.
        if own > 0 { own += flow?.pacer?.flushes.load(ordering: .relaxed) ?? 0 }
        if Int(openClaims.load(ordering: .sequentiallyConsistent)) > own { return true }
        for record in ThreadRecord.All()
        where record.pointee.contains(address) && !record.pointee.isCallers {
            return true
        }
        return false
    }

    private func beginWait(_ holders: [WaitGraph.Place]) -> WaitGraph.Wait? {
        // Its own call of the handler is not waited for.
        let others = holders.filter { $0 != waitPlace }
        let isFlushing = flow?.pacer?.flushes.load(ordering: .relaxed) ?? 0 > 0
        do throws(WaitGraph.Cycle) {
            return try WaitGraph.begin(
                others, for: [waitPlace] + (isFlushing ? mailbox?.waitPlaces ?? [] : []))
        } catch {
            bucket.registry.engine?.report(.waitCycle(error.description))
            return nil
        }
    }

    private func reportTwoCalls() -> Bool {
        bucket.registry.engine?.report(
            .waitCycle("two calls of \(waitPlace.label) would wait for each other"))
        return false
    }
}
