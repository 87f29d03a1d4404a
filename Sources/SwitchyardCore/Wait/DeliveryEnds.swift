// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// Who waits for the deliveries of a cancelled observation to end.
///
/// Deliveries tell nobody when they end, it would cost every one of them. But whoever ends the
/// delivery of a cancelled observation looks whether it is the last, to release the handler: there
/// those who wait are told to look again.
enum DeliveryEnds {
    /// A closure behind a reference: a bare one is wrapped anew each time it is read.
    final class Look: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    private static let looks = Guarded<[UInt: [Look]]>([:])

    static func signal(_ observation: Observation) {
        for look in looks.withLock({ $0[observation.address] ?? [] }) { look.call() }
    }

    /// Calls `look` whenever a delivery of `observation` ended, until ``forget(_:_:)``.
    static func watch(_ observation: Observation, _ look: Look) {
        looks.withLock { $0[observation.address, default: []].append(look) }
        observation.state.bitwiseOr(Observation.State.awaited, ordering: .sequentiallyConsistent)
        // A delivery that ended without seeing this is seen to have ended from here on.
        switchyard_heavy_fence()
    }

    static func forget(_ observation: Observation, _ look: Look) {
        looks.withLock { looks in
            looks[observation.address]?.removeAll { $0 === look }
            if looks[observation.address]?.isEmpty == true { looks[observation.address] = nil }
        }
    }
}

extension Observation {
    /// Whether another thread or task than the caller's is inside the handler.
    private var isInFlightElsewhere: Bool {
        // Once the handler is released, nobody is inside, and nobody comes in. Marks that are seen
        // now are of deliveries about to find that it has ended; they tell nobody when they go.
        if state.load(ordering: .acquiring) & State.released != 0 { return false }
        let open = Int(openClaims.load(ordering: .sequentiallyConsistent))
        if open > HandlerTask.claims(of: self) { return true }
        for record in ThreadRecord.All()
        where record.pointee.contains(address) && !record.pointee.isCallers {
            return true
        }
        return false
    }

    /// Ends the registration and waits for what other threads and tasks do in its handler.
    ///
    /// - Returns: False when that would wait for the caller, through others; it is reported.
    package func cancelAndWait() -> Bool {
        cancel()
        let signal = ThreadSignal()
        let look = DeliveryEnds.Look { signal.raise() }
        DeliveryEnds.watch(self, look)
        defer { DeliveryEnds.forget(self, look) }
        guard isInFlightElsewhere else { return true }
        guard let wait = beginWait(WaitGraph.heldByThisThread) else { return false }
        defer { WaitGraph.end(wait) }
        while isInFlightElsewhere { _ = signal.wait() }
        return true
    }

    /// As ``cancelAndWait()``, for async code.
    package func cancelAndDrain() async -> Bool {
        cancel()
        let signal = TaskSignal()
        let look = DeliveryEnds.Look { signal.raise() }
        DeliveryEnds.watch(self, look)
        defer { DeliveryEnds.forget(self, look) }
        guard isInFlightElsewhere else { return true }
        guard let wait = beginWait(WaitGraph.heldByThisTask) else { return false }
        defer { WaitGraph.end(wait) }
        while isInFlightElsewhere { await signal.wait() }
        return true
    }

    private func beginWait(_ holders: [WaitGraph.Place]) -> WaitGraph.Wait? {
        // Its own handler is not waited for, so nothing is that waits for it.
        let others = holders.filter { $0 != waitPlace }
        do {
            return try WaitGraph.begin(others, for: [waitPlace])
        } catch {
            bucket.registry.engine?.report(.waitCycle(error))
            return nil
        }
    }
}
