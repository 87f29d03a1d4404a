// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The deliveries that wait because their observation is paused.
///
/// The registry has one for each observation that was ever paused, until the observation ends.
final class PausedDeliveries: Sendable {
    private struct State: Sendable {
        /// The number of pauses that have not ended.
        var pauses = 0
        var parcels = FIFO<AnyParcel>()
        /// The parcel that a turn has taken out and is about to deliver, if it may move on, and the
        /// turn's thread.
        var inHand: (parcel: AnyParcel, thread: UInt)?
        /// The number of parcels at which those that were given up are looked for.
        var searchedAt = 64
        /// The number of ends of pauses whose turn has not come, or is not over.
        var turns = 0
        /// Whether one of these turns makes deliveries now.
        var isServed = false
        /// The number of parcels, from the first, that the turns so far deliver: a later one does
        /// not drop them.
        var promised = 0
        /// When the last pause ended, in the ticks of the trace; 0 if nobody traced, or what was kept
        /// is dropped.
        var resumedAt: UInt64 = 0
        /// Whether the center has ended, and with it all that waits here.
        var centerHasEnded = false

        mutating func takeAll() -> FIFO<AnyParcel> {
            defer {
                parcels = FIFO()
                promised = 0
            }
            return parcels
        }

        /// Takes out the parcels that no turn delivers.
        mutating func takeUnpromised() -> FIFO<AnyParcel> {
            var kept = FIFO<AnyParcel>()
            for _ in 0..<promised {
                if let parcel = parcels.popFirst() { kept.append(parcel) }
            }
            defer { parcels = kept }
            return parcels
        }

        /// Takes out the parcels that were given up, once the parcels may have doubled since the
        /// last time.
        mutating func takeDiscarded() -> [AnyParcel] {
            guard parcels.count >= searchedAt else { return [] }
            var (index, promisedLeft) = (0, promised)
            let discarded = parcels.removeAll { parcel in
                defer { index += 1 }
                guard parcel.isDiscarded else { return false }
                if index < promised { promisedLeft -= 1 }
                return true
            }
            promised = promisedLeft
            searchedAt = max(64, parcels.count * 2)
            return discarded
        }
    }

    private let state = Guarded(State())
    /// The mailbox on whose target the parcels are let go; nil: any thread may do so. A message of
    /// the main actor need not be Sendable.
    private let mailbox: SharedMailbox?

    init(of observation: Observation) {
        mailbox = observation.has(Observation.State.overtakes) ? observation.mailbox : nil
        observation.flow?.keeps(self)
    }

    deinit { giveUp() }

    /// Discards the kept deliveries, because the observation or the center has ended. It is called
    /// before the last reference is released, too: a thread that ended inside a handler may never
    /// release its reference.
    func giveUp() {
        let centerHasEnded = state.withLock(\.centerHasEnded)
        // The one in hand of this thread stays: its claim has ended a one-shot observation.
        if !centerHasEnded { moveOn(before: .max, sparing: switchyard_thread_identity()) }
        // The only reference, so that the last release is the target's.
        let parcels = Unmanaged.passRetained(Parcels(takeAll()) as AnyObject)
        let isEmpty = parcels._withUnsafeGuaranteedRef { parcels in
            let all = unsafeDowncast(parcels, to: Parcels.self).all
            for parcel in all {
                if !centerHasEnded { parcel.observationEnded() }
                parcel.wasDiscarded()
            }
            return all.isEmpty
        }
        if let mailbox, !isEmpty { mailbox.releaseOnTarget(parcels) } else { parcels.release() }
    }

    /// Has other members of the group get the deliveries that were given to this one before the
    /// choice `number`, in order. Under the lock, because two threads may come here at once: the
    /// one that ends the observation, and one that finds it ended when it is about to deliver.
    ///
    /// - Parameter thread: the thread of which the turn keeps the parcel that it has in hand.
    func moveOn(before number: UInt64, sparing thread: UInt? = nil) {
        state.withLock { state in
            if let (parcel, owner) = state.inHand, owner != thread {
                parcel.moveOn(before: number)
            }
            state.parcels.visit { $0.moveOn(before: number) }
        }
    }

    /// Parcels that are let go together.
    private final class Parcels {
        let all: [AnyParcel]
        init(_ all: [AnyParcel]) { self.all = all }
    }

    /// Told that the center ends.
    ///
    /// - Returns: Whether what is kept ends with it. Not if the pause has ended, and its turn is
    ///   still to come.
    func centerEnds() -> Bool {
        state.withLock { state in
            if state.pauses == 0, state.turns > 0 { return false }
            state.centerHasEnded = true
            return true
        }
    }

    /// Begins a pause of `observation`.
    func begin(_ observation: Observation) {
        state.withLock { state in
            state.pauses += 1
            observation.mark(isPaused: true)
        }
    }

    /// Ends a pause of `observation`. Does nothing if there is none.
    ///
    /// - Parameter drops: whether the deliveries that were kept are dropped.
    /// - Returns: Whether the pause was the last, so that the caller has to have its turn taken: by
    ///   a ``PauseTurn``, or by ``takeTurnAtOnce(of:)``.
    func end(of observation: Observation, dropping drops: Bool) -> Bool {
        state.withLock { state in
            // The turn of an earlier end may still be to come. It does not drop what was posted
            // after that end.
            guard state.pauses > 0 else { return false }
            state.pauses -= 1
            if state.pauses > 0 || !observation.isPaused { return false }
            state.turns += 1
            // An earlier end whose turn is still to come delivers what was posted before it.
            if !drops || state.turns == 1 {
                state.resumedAt = TraceSampling.isOn && !drops ? TraceClock.now : 0
            }
            let resumedAt = state.resumedAt
            if !drops, resumedAt > 0 { state.parcels.visit { $0.isDue(at: resumedAt) } }
            return true
        }
    }

    /// Whether nothing is kept, and nothing that was kept is being made.
    var isIdle: Bool { state.withLock { $0.parcels.isEmpty && $0.turns == 0 } }

    /// Whether nothing is kept.
    var isEmpty: Bool { state.withLock(\.parcels.isEmpty) }

    /// Keeps a parcel for later.
    ///
    /// - Returns: False if `observation` is not paused any more.
    func keep(_ parcel: AnyParcel, of observation: Observation) -> Bool {
        let discarded = state.withLock { state -> [AnyParcel]? in
            guard observation.isPaused else { return nil }
            parcel.isKept()
            // The turn that delivers it is still to come.
            if state.pauses == 0, state.resumedAt > 0 { parcel.isDue(at: state.resumedAt) }
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
    /// - Returns: The parcels that were kept, for the caller to deliver or to drop; none, if
    ///   another pause has begun.
    func takeTurnAtOnce(of observation: Observation) -> [AnyParcel] {
        var parcels = state.withLock { state -> FIFO<AnyParcel> in
            state.turns = 0
            if state.pauses > 0 { return FIFO() }
            observation.mark(isPaused: false)
            return state.takeAll()
        }
        return parcels.removeAll { _ in true }
    }

    /// Begins the turn of one end of a pause, whose deliveries are made, or dropped.
    ///
    /// - Parameter dropped: gets the deliveries that the caller has to drop, with ``drop(_:)``, if
    ///   the turn drops them. The turn has begun by then: a payload may run the user's code, which
    ///   may end the thread.
    /// - Returns: Whether the caller has to make deliveries, with ``next(of:)``. If an earlier turn
    ///   does so now, this one is over, and the earlier one goes on with what comes.
    func begin(dropping drops: Bool, _ dropped: inout FIFO<AnyParcel>) -> Bool {
        let (serves, taken) = state.withLock { state -> (Bool, FIFO<AnyParcel>) in
            let taken = drops ? state.takeUnpromised() : FIFO()
            if !drops { state.promised = state.parcels.count }
            if state.isServed { state.turns -= 1 }
            defer { state.isServed = true }
            return (!state.isServed, taken)
        }
        dropped = taken
        return serves
    }

    /// Takes the next parcel to deliver; nil, with the turn over, if there is none, or another
    /// pause has begun.
    ///
    /// - Parameter isInTask: whether a task delivers, which may go on on another thread. There, the
    ///   claim of a one-shot observation can't be told from a cancellation.
    func next(of observation: Observation, isInTask: Bool = false) -> AnyParcel? {
        let (next, last) = state.withLock { state -> (AnyParcel?, AnyParcel?) in
            let last = state.inHand.take()?.parcel
            if state.pauses == 0, let parcel = state.parcels.popFirst() {
                state.promised = max(0, state.promised - 1)
                let isOnce = observation.has(
                    Observation.State.once | Observation.State.onceInHandler)
                if parcel.movesOn, !isInTask || !isOnce {
                    state.inHand = (parcel, switchyard_thread_identity())
                }
                return (parcel, last)
            }
            // Under the lock, so that no parcel comes too late.
            state.isServed = false
            state.promised = 0
            Self.endTurn(of: observation, &state)
            return (nil, last)
        }
        // Without the lock: the last reference to a payload may run the user's code.
        withExtendedLifetime(last) {}
        return next
    }

    /// Told that a handler has ended the thread of the turn that made deliveries: another will go
    /// on with it.
    func serverEnded() { state.withLock { $0.isServed = false } }

    /// Ends the turn of one end of a pause, whose deliveries will not be made.
    func endTurn(of observation: Observation) {
        state.withLock { Self.endTurn(of: observation, &$0) }
    }

    private static func endTurn(of observation: Observation, _ state: inout State) {
        state.turns = max(0, state.turns - 1)
        // The deliveries before a later turn wait for it.
        if state.pauses == 0, state.turns == 0 { observation.mark(isPaused: false) }
    }

    /// Drops parcels, without a lock: the last reference to a payload may run the user's code. The
    /// posts of all are told before the first payload goes.
    static func drop(_ parcels: inout FIFO<AnyParcel>) {
        let taken = parcels.removeAll { _ in true }
        if !taken.isEmpty { ResumableLoop(over: taken, body: drop).run() }
    }

    static func drop(_ parcel: AnyParcel) {
        parcel.wasDisplaced()
        parcel.wasDiscarded()
    }
}
