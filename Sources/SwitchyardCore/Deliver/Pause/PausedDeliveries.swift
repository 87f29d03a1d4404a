// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries that wait because their observation is paused.
///
/// The registry has one for each observation that was ever paused, until the observation ends.
final class PausedDeliveries: Sendable {
    private struct State: Sendable {
        /// The number of pauses that have not ended.
        var pauses = 0
        var parcels = FIFO<AnyParcel>()
        /// Whether the parcels are dropped, not delivered, now that the pause has ended.
        var drops = false
        /// Whether somebody takes the parcels out, or is asked to.
        var isResuming = false
    }

    private let state = Guarded(State())

    deinit {
        // The observation has ended.
        while let parcel = state.withLock({ $0.parcels.popFirst() }) { parcel.wasDiscarded() }
    }

    var count: Int { state.withLock(\.parcels.count) }

    /// Begins a pause of `observation`.
    func begin(_ observation: Observation) {
        state.withLock { state in
            state.pauses += 1
            observation.mark(isPaused: true)
        }
    }

    /// Ends a pause of `observation`. Does nothing if there is none.
    ///
    /// - Returns: Whether the caller has to have the parcels taken out: by ``deliver(to:)``.
    func end(of observation: Observation, drops: Bool) -> Bool {
        state.withLock { state in
            if state.pauses > 0 { state.pauses -= 1 }
            if state.pauses > 0 || !observation.isPaused { return false }
            state.drops = drops
            if state.isResuming { return false }
            state.isResuming = true
            return true
        }
    }

    /// Keeps a parcel for later.
    ///
    /// - Returns: False if `observation` is not paused any more.
    func keep(_ parcel: AnyParcel, of observation: Observation) -> Bool {
        state.withLock { state in
            guard observation.isPaused else { return false }
            state.parcels.append(parcel)
            return true
        }
    }

    // MARK: - After the pause

    /// Delivers what waits to `observation`, on the calling thread, and what comes meanwhile. Then deliveries go
    /// the usual way again.
    func deliver(to observation: Observation) {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let (parcel, isDropped) = next(of: observation) {
            if isDropped { Self.drop(parcel) } else { parcel.deliver(to: observation) }
        }
    }

    /// Does the same in the calling task.
    func deliverAsync(to observation: Observation) async {
        let isConcurrent = observation.has(Observation.State.concurrent)
        await withDiscardingTaskGroup { group in
            while let (parcel, isDropped) = next(of: observation) {
                if isDropped {
                    Self.drop(parcel)
                } else if isConcurrent {
                    group.addTask { await parcel.deliverAsync(to: observation) }
                } else {
                    await parcel.deliverAsync(to: observation)
                }
            }
        }
    }

    private func next(of observation: Observation) -> (parcel: AnyParcel, isDropped: Bool)? {
        state.withLock { state in
            if state.pauses == 0, let parcel = state.parcels.popFirst() {
                return (parcel, state.drops)
            }
            state.isResuming = false
            // Under the lock, so that no parcel comes too late.
            if state.pauses == 0 { observation.mark(isPaused: false) }
            return nil
        }
    }

    private static func drop(_ parcel: AnyParcel) {
        parcel.wasDisplaced()
        parcel.wasDiscarded()
    }

    /// Tells the parcels that their mailbox has ended.
    func mailboxEnded(_ label: String) {
        while let parcel = state.withLock({ $0.parcels.popFirst() }) {
            parcel.mailboxEnded(label)
            parcel.wasDiscarded()
        }
        state.withLock { $0.isResuming = false }
    }
}

extension PausedDeliveries: EndsWithThread {
    /// A handler has ended the thread that was delivering: the next to resume goes on.
    package func threadEnds() { state.withLock { $0.isResuming = false } }
}
