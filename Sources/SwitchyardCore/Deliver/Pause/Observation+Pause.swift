// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Observation {
    /// Whether deliveries are kept for later.
    @inline(__always)
    package var isPaused: Bool {
        state.load(ordering: .acquiring) & (State.paused | State.cancelled) == State.paused
    }

    /// Guard: the lock of the observation's ``PausedDeliveries``.
    func mark(isPaused: Bool) {
        if isPaused {
            state.bitwiseOr(State.paused, ordering: .acquiringAndReleasing)
        } else {
            state.bitwiseAnd(~State.paused, ordering: .acquiringAndReleasing)
        }
    }

    /// Keeps the deliveries from now on, until ``resume(dropping:)`` was called as often as this.
    package func pause() {
        let isFirst = !has(State.wasPaused)
        guard let paused = owner.pausedDeliveries(of: self, makes: true) else { return }
        // Before the first delivery is kept: the mailbox ends those as well.
        if isFirst { mailbox?.willPause(self) }
        paused.begin(self)
    }

    /// Ends a pause. After the last one, the deliveries that were kept are made, or dropped, on the
    /// observer's context.
    package func resume(dropping: Bool) {
        // Without a pause there is nothing to end. One that another thread begins now is not ended.
        guard has(State.wasPaused) else { return }
        // Without its center, the observation stays paused: what still waits in its mailbox goes with
        // the center, as what was kept.
        guard let paused = owner.pausedDeliveries(of: self, makes: false),
            paused.end(of: self, dropping: dropping)
        else { return }
        if has(State.concurrent) { return resumeAtOnce(paused, dropping: dropping) }
        let turn = PauseTurn(paused, of: self, drops: dropping)
        guard let mailbox else { return turn.take() }
        // Without a delivery, no handler is called, and the pause may end at once.
        if !has(State.queued) || paused.isEmpty, mailbox.deliversInline() {
            return mailbox.take(turn)
        }
        queue(turn)
    }

    /// Ends the pause with which an observation was registered.
    ///
    /// - Parameter first: the deliveries to make before those that were kept.
    func endFirstPause(delivering first: [AnyParcel]) {
        mailbox?.willPause(self)
        owner.pausedDeliveries(of: self, makes: false)?.keep(first: first)
        resume(dropping: false)
    }

    /// Puts the turn of one end of a pause behind the deliveries that wait in the observation's
    /// mailbox: they were posted during the pause.
    func queue(_ turn: PauseTurn) {
        guard let mailbox else { return turn.giveUp() }
        if mailbox.isClosed {
            // The mailbox ended before this was kept.
            mailbox.giveUpPaused(of: self)
            return turn.giveUp()
        }
        var receipt = PostReceipt()
        mailbox.enqueue(ResumeParcel(turn), to: self, &receipt)
    }

    /// Ends the pause of an observation whose calls may overlap, so that its deliveries have no
    /// order.
    private func resumeAtOnce(_ paused: PausedDeliveries, dropping: Bool) {
        let parcels = paused.takeTurnAtOnce(of: self)
        if parcels.isEmpty { return }
        ResumableLoop(over: parcels) { [self] parcel in
            if dropping { return PausedDeliveries.drop(parcel) }
            var receipt = PostReceipt()
            mailbox?.enqueue(parcel, to: self, &receipt)
        }.run()
    }

    /// Keeps a delivery when it is posted, if the observation is paused and its calls may overlap.
    /// Deliveries to other paused observations are kept when the mailbox is drained.
    ///
    /// - Returns: Whether it is kept.
    @inline(__always)
    func keepsAtOnce(_ parcel: AnyParcel) -> Bool {
        let state = state.load(ordering: .acquiring)
        return state & (State.paused | State.concurrent) == State.paused | State.concurrent
            && keepsInPause(parcel)
    }

    /// Keeps a delivery that is due, if there is a pause, and the delivery waits for its end.
    ///
    /// - Returns: Whether it is kept.
    @inline(__always)
    func keepsInPause(_ parcel: AnyParcel) -> Bool {
        isPaused && parcel.waitsInPause && keep(parcel)
    }

    /// Keeps a delivery for the end of the pause.
    ///
    /// - Returns: False if the observation is not paused any more, or has ended.
    func keep(_ parcel: AnyParcel) -> Bool {
        // An observer that has died ends the pause, too: nobody else would.
        if expireIfObserverDied() {
            parcel.observerDied()
            return false
        }
        guard let paused = owner.pausedDeliveries(of: self, makes: false) else {
            return dropAfterCenter(parcel)
        }
        guard paused.keep(parcel, of: self) else { return false }
        // One that ended a moment ago may have given up what was kept before this.
        if let mailbox, mailbox.isClosed { mailbox.giveUpPaused(of: self) }
        return true
    }

    /// Drops a delivery if the observation is paused and its center has gone, and with it all that
    /// pauses kept.
    private func dropAfterCenter(_ parcel: AnyParcel) -> Bool {
        guard isPaused else { return false }
        parcel.wasDiscarded()
        return true
    }

    /// Takes the deliveries that were kept, for a caller that ends them.
    func takeKept() -> [AnyParcel] {
        owner.pausedDeliveries(of: self, makes: false)?.takeAll() ?? []
    }

    /// Keeps a payload that came through a mailbox without a parcel.
    ///
    /// - Parameter isTraced: whether the payload has the number of its post.
    /// - Returns: False if the observation is not paused any more: the caller delivers the payload.
    func keepInPause(_ payload: InlinePayload, isTraced: Bool) -> Bool {
        let inline = InlineParcel(payload)
        let parcel = isTraced ? TracedParcel(inline, of: payload.post, to: self) : inline
        // If the observation has ended, the parcel says so in the trace.
        if keep(parcel) || isCancelled { return true }
        parcel.wasNotQueued()
        return false
    }
}
