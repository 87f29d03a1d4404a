// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries that wait because their observation is paused.
///
/// The registry has one for each observation that was ever paused, until the observation ends.
final class PausedDeliveries: Sendable {
    private struct State: Sendable {
        /// The number of pauses that have not ended.
        var pauses = 0
        var parcels = FIFO<AnyParcel>()
        /// The number of parcels at which those that were given up are looked for.
        var searchedAt = 64
        /// The number of ends of pauses whose turn has not come, or is not over.
        var turns = 0
        /// Whether the center has ended, and with it all that waits here.
        var centerHasEnded = false

        mutating func takeAll() -> FIFO<AnyParcel> {
            defer { parcels = FIFO() }
            return parcels
        }

        /// Takes out the parcels that were given up, once the parcels may have doubled since the last time.
        mutating func takeDiscarded() -> [AnyParcel] {
            guard parcels.count >= searchedAt else { return [] }
            let discarded = parcels.removeAll(where: \.isDiscarded)
            searchedAt = max(64, parcels.count * 2)
            return discarded
        }
    }

    private let state = Guarded(State())

    deinit {
        let centerHasEnded = state.withLock(\.centerHasEnded)
        for parcel in takeAll() {
            if !centerHasEnded { parcel.observationEnded() }
            parcel.wasDiscarded()
        }
    }

    /// Told that the center ends.
    func centerEnds() { state.withLock { $0.centerHasEnded = true } }

    /// Begins a pause of `observation`.
    func begin(_ observation: Observation) {
        state.withLock { state in
            state.pauses += 1
            observation.mark(isPaused: true)
        }
    }

    /// Ends a pause of `observation`. Does nothing if there is none.
    ///
    /// - Returns: Whether the pause was the last, so that the caller has to have its turn taken: by a
    ///   ``PauseTurn``, or by ``takeTurnAtOnce(of:)``.
    func end(of observation: Observation) -> Bool {
        state.withLock { state in
            if state.pauses > 0 { state.pauses -= 1 }
            if state.pauses > 0 || !observation.isPaused { return false }
            state.turns += 1
            return true
        }
    }

    /// Keeps a parcel for later.
    ///
    /// - Returns: False if `observation` is not paused any more.
    func keep(_ parcel: AnyParcel, of observation: Observation) -> Bool {
        let discarded = state.withLock { state -> [AnyParcel]? in
            guard observation.isPaused else { return nil }
            state.parcels.append(parcel)
            return state.takeDiscarded()
        }
        guard let discarded else { return false }
        // Without the lock: the last reference to a payload may run the user's code.
        for parcel in discarded { parcel.wasDiscarded() }
        return true
    }

    /// Keeps parcels that come before all others.
    func keep(first parcels: [AnyParcel]) {
        state.withLock { state in
            var all = FIFO<AnyParcel>()
            for parcel in parcels { all.append(parcel) }
            while let parcel = state.parcels.popFirst() { all.append(parcel) }
            state.parcels = all
        }
    }

    /// Takes out all parcels, in order.
    func takeAll() -> [AnyParcel] {
        var all = state.withLock { $0.takeAll() }
        return all.removeAll { _ in true }
    }

    // MARK: - After the pause

    /// Takes the turn of one end of a pause whose deliveries have no order.
    ///
    /// - Returns: The parcels that were kept, for the caller to deliver or to drop; none, if another pause has
    ///   begun.
    func takeTurnAtOnce(of observation: Observation) -> [AnyParcel] {
        var parcels = state.withLock { state -> FIFO<AnyParcel> in
            state.turns = 0
            if state.pauses > 0 { return FIFO() }
            observation.mark(isPaused: false)
            return state.takeAll()
        }
        return parcels.removeAll { _ in true }
    }

    /// Ends a turn if another is being taken, or will be, which goes on with what comes.
    ///
    /// - Returns: Whether it did.
    func leavesToOthers() -> Bool {
        state.withLock { state in
            if state.turns <= 1 { return false }
            state.turns -= 1
            return true
        }
    }

    /// Takes the next parcel to deliver; nil, with the turn over, if there is none, or another pause has begun.
    func next(of observation: Observation) -> AnyParcel? {
        state.withLock { state in
            if state.pauses == 0, let parcel = state.parcels.popFirst() { return parcel }
            // Under the lock, so that no parcel comes too late.
            Self.endTurn(of: observation, &state)
            return nil
        }
    }

    /// Ends the turn of one end of a pause, whose deliveries will not be made.
    func endTurn(of observation: Observation) {
        state.withLock { Self.endTurn(of: observation, &$0) }
    }

    private static func endTurn(of observation: Observation, _ state: inout State) {
        state.turns = max(0, state.turns - 1)
        // The deliveries before a later turn wait for it.
        if state.pauses == 0, state.turns == 0 { observation.mark(isPaused: false) }
    }

    /// Drops what waits, also if another pause has begun: it was posted before this turn.
    func dropAll() {
        for parcel in takeAll() { Self.drop(parcel) }
    }

    static func drop(_ parcel: AnyParcel) {
        parcel.wasDisplaced()
        parcel.wasDiscarded()
    }
}
