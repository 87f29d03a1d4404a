// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

// The end of a registration.
extension Observation {
    /// Ends the registration: when this returns, no delivery starts any more, on any thread.
    ///
    /// The handler is released here or, while it runs somewhere, by the thread that leaves it last.
    /// Never waits for a handler that another thread has called.
    ///
    /// - Parameter inline: whether a delivery that a pace has put off, and that is to be made, is
    ///   made before this returns, on the calling thread, which is that of the observer's context.
    package func cancel(flushing inline: Bool = false) { _ = end(flushing: inline) }

    /// As ``cancel(flushing:)``.
    ///
    /// - Returns: Whether it was this call that ended the registration.
    func end(flushing inline: Bool = false) -> Bool {
        if isCancelled { return false }
        let flushed = flow?.takeForFlush(of: self)
        let isFirst = markCancelled()
        if isFirst { releaseHandler(unlessWalkedIn: withOwner { $0.remove(self) }) }
        // Claimed, so that it is made although the observation has ended: a post of its handler
        // comes too late to be put off, and lost.
        if let flushed { deliver(flushed: flushed, inline: inline) }
        return isFirst
    }

    private func deliver(flushed parcel: AnyParcel, inline: Bool) {
        switch mailbox {
        case .some(let mailbox) where inline && !mailbox.isClosed:
            mailbox.inside(for: self) { _ = parcel.deliver(to: self) }
        case .some(let mailbox):
            let lost = mailbox.enqueuePutOff(parcel, to: self) {
                mailbox.enqueue($0, to: self, &$1)
            }
            mailbox.report(putOff: lost, of: self)
        case .none where inline:
            _ = parcel.deliver(to: self)
        case .none:
            Task.detached { [self] in _ = parcel.deliver(to: self) }
        }
    }

    /// Releases the handler; if threads are inside it, the last to leave does. Then wakes callers
    /// that wait for deliveries to end. Call it after a delivery whose hazard slot is cleared, if
    /// ``listensForEnds``.
    @inline(never)
    func deliveryEnded() {
        releaseHandler(unlessWalkedIn: owner.walkedLists)
    }

    /// As ``deliveryEnded()``, for a post that has met the observation in its list. If other threads
    /// are inside the handler, perhaps for long, the observation leaves the list: each post until
    /// then would look at all threads again.
    @inline(never)
    func deliveryEndedInPost() {
        deliveryEnded()
        if listensForEnds { owner.takeOut() }
    }

    private func releaseHandler(unlessWalkedIn lists: WalkedLists) {
        flow?.observationEnded()
        // A full fence between what this thread wrote, the state or its hazard slot, and its look
        // at the others' records.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // The claims are read first: a delivery that gives one back has written its hazard slot
        // before. A delivery that has one now comes here when it gives that back.
        let isLast =
            openClaims.load(ordering: .sequentiallyConsistent) == 0
            && !(othersMayBeInside(lists) ? isInFlight : HazardRecord.callersContain(address))
            && markReleased()
        // Callers of `cancelAndWait` look again, whichever thread has left the handler. They are
        // told first: the last references to what the handler captured may run the user's code.
        if state.load(ordering: .acquiring) & State.awaited != 0 { DeliveryEnds.signal(address) }
        if isLast { releaseAll() }
    }

    /// Whether another thread may be inside the handler, or about to call it. If so, the hazard
    /// slots of all that are have become visible, and a thread that writes its slot from now on
    /// finds that the observation is cancelled.
    private func othersMayBeInside(_ lists: WalkedLists) -> Bool {
        let registry = withOwner(\.registryIdentity)
        for record in HazardRecord.All() where !record.pointee.isCallers {
            if record.pointee.bias.load(ordering: .acquiring) != Bias.none,
                HazardRecord.revokeBias()
            {
                return true
            }
            if record.pointee.searching.load(ordering: .acquiring) == registry
                || lists.areWalked(by: record.pointee) || record.pointee.contains(address)
            {
                // The other thread may have claimed the observation a moment ago, and its slot may
                // not be visible yet.
                switchyard_heavy_fence()
                return true
            }
        }
        return false
    }

    /// Whether a thread or a task is inside the handler, or about to find that it is cancelled.
    var isInFlight: Bool {
        if openClaims.load(ordering: .sequentiallyConsistent) != 0 { return true }
        for record in HazardRecord.All() where record.pointee.contains(address) { return true }
        return false
    }

    /// Turns the state to released; true for the one caller who did.
    private func markReleased() -> Bool {
        let before = state.bitwiseOr(State.released, ordering: .acquiringAndReleasing).oldValue
        return before & State.released == 0
    }

    /// Notes that a post waits for one of the deliveries, which is to be told when the handler is
    /// called no more.
    ///
    /// - Returns: Whether that is so already.
    func tellsAwaitedOfEnd() -> Bool {
        let before = state.bitwiseOr(State.hasAwaitedMail, ordering: .sequentiallyConsistent)
        return before.oldValue & State.released != 0
    }

    private func releaseAll() {
        // First: the rest may be the user's code, which may wait for the posts, or end the thread.
        if has(State.hasAwaitedMail) { AwaitedDeliveries.observationHasEnded(address) }
        handler.release()
        flow?.release()
        mailboxReference?._withUnsafeGuaranteedRef { $0.keptTarget?.registrationEnded(self) }
    }
}
