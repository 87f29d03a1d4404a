// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries that wait because their observation is paused.
///
/// The registry has one for each observation that was ever paused, until the observation ends.
final class PausedDeliveries: Sendable {
    private struct State: Sendable {
        /// The number of pauses that have not ended.
        var pauses = 0
        var parcels = FIFO<AnyParcel>()
        /// The number of ends of pauses whose turn has not come, or is not over.
        var turns = 0

        mutating func takeAll() -> FIFO<AnyParcel> {
            defer { parcels = FIFO() }
            return parcels
        }
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
    /// - Returns: Whether the pause was the last, so that the caller has to have its turn taken: by
    ///   ``takeTurn(of:drops:)``.
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
        state.withLock { state in
            guard observation.isPaused else { return false }
            state.parcels.append(parcel)
            return true
        }
    }

    // MARK: - After the pause

    /// Takes the turn of one end of a pause, on the calling thread: delivers what waits, or drops it. After the
    /// last turn, deliveries go the usual way again.
    func takeTurn(of observation: Observation, drops: Bool) {
        if drops { dropAll() }
        // Without a mailbox, a turn that others are in the middle of goes on with what comes.
        if observation.mailboxReference == nil, leavesToOthers() { return }
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let parcel = next(of: observation) { parcel.deliver(to: observation) }
    }

    /// Does the same in the calling task.
    func takeTurnAsync(of observation: Observation, drops: Bool) async {
        let isConcurrent = observation.has(Observation.State.concurrent)
        if drops { dropAll() }
        await withDiscardingTaskGroup { group in
            while let parcel = next(of: observation) {
                if isConcurrent {
                    group.addTask { await parcel.deliverAsync(to: observation) }
                } else {
                    await parcel.deliverAsync(to: observation)
                }
            }
        }
    }

    private func leavesToOthers() -> Bool {
        state.withLock { state in
            if state.turns <= 1 { return false }
            state.turns -= 1
            return true
        }
    }

    /// Takes the next parcel to deliver; nil, with the turn over, if there is none, or another pause has begun.
    private func next(of observation: Observation) -> AnyParcel? {
        state.withLock { state in
            if state.pauses == 0, let parcel = state.parcels.popFirst() { return parcel }
            state.turns = max(0, state.turns - 1)
            // Under the lock, so that no parcel comes too late. The deliveries before a later turn wait for it.
            if state.pauses == 0, state.turns == 0 { observation.mark(isPaused: false) }
            return nil
        }
    }

    /// Drops what waits, also if another pause has begun: it was posted before this turn.
    private func dropAll() {
        var dropped = state.withLock { $0.takeAll() }
        while let parcel = dropped.popFirst() { Self.drop(parcel) }
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
        endTurn()
    }

    private func endTurn() { state.withLock { $0.turns = max(0, $0.turns - 1) } }
}

extension PausedDeliveries: EndsWithThread {
    /// A handler has ended the thread that was delivering: the next to resume goes on.
    package func threadEnds() { endTurn() }
}
