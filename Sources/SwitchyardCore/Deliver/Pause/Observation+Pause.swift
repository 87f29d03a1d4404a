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
    package func pause() { owner.pausedDeliveries(of: self, makes: true)?.begin(self) }

    /// Ends a pause. After the last one, the deliveries that were kept are made, or dropped, on the observer's
    /// context.
    package func resume(dropping: Bool) {
        guard let paused = owner.pausedDeliveries(of: self, makes: false),
            paused.end(of: self)
        else { return }
        guard let mailbox else { return paused.takeTurn(of: self, drops: dropping) }
        if mailbox.deliversInline() {
            return mailbox.inTurn(for: self) { paused.takeTurn(of: self, drops: dropping) }
        }
        // The deliveries that wait in the mailbox were posted during the pause.
        let count = paused.count
        var receipt = PostReceipt()
        mailbox.enqueue(ResumeParcel(paused, drops: dropping), to: self, &receipt)
        if receipt.undeliverable > 0, count > 0 {
            report(.undeliverable(mailbox: mailbox.label, count: count))
        }
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
        owner.pausedDeliveries(of: self, makes: false)?.keep(parcel, of: self) ?? false
    }

    /// Keeps a payload that came through a mailbox without a parcel.
    ///
    /// - Parameter isTraced: whether the payload has the number of its post.
    /// - Returns: As ``keep(_:)``.
    func keepInPause(_ payload: InlinePayload, isTraced: Bool) -> Bool {
        let inline = InlineParcel(payload)
        return keep(isTraced ? TracedParcel(inline, of: payload.post, to: self) : inline)
    }
}
