// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The short way of a post whose list has one observation, which hears through a mailbox.
extension NotificationEngine {
    /// Queues a payload for the only observation of a list, if that hears through a mailbox, has no
    /// option that changes how it is queued, and can't be called inline now.
    ///
    /// - Returns: Whether the payload was queued.
    @inline(never)
    func queueOne<Payload>(_ payload: Payload, _ match: borrowing Match) -> Bool {
        if _slowPath(registry.hooks.hasOnlookers) { return queueOneWatched(payload, match) }
        if queueOne(match, through: { $0.enqueue(InlinePayload(payload), to: $1) }) { return true }
        return queueOneWithParcel(payload, match)
    }

    /// Queues a payload that needs a parcel, likewise.
    @inline(never)
    private func queueOneWithParcel<Payload>(
        _ payload: Payload, _ match: borrowing Match
    ) -> Bool {
        queueOne(match, Observation.State.routed) { mailbox, observation in
            guard observation.staysInMailbox else { return false }
            let parcel = observation.withHandler { (handler: _DeliveryHandler<Payload>) in
                handler.pack(payload, objectIsGone: false)
            }
            return mailbox.enqueueInTurn(parcel, to: observation)
        }
    }

    /// Queues a payload that needs no parcel while somebody looks on, and traces that if the post
    /// is traced.
    @inline(never)
    private func queueOneWatched<Payload>(
        _ payload: Payload, _ match: borrowing Match
    ) -> Bool {
        guard let trace = PostTrace.takeAside() else {
            return queueOne(match) { $0.enqueue(InlinePayload(payload), to: $1) }
        }
        var address: UInt = 0
        var isQueued = false
        if InlinePayload.leavesRoom(beside: Payload.self) {
            isQueued = queueOne(match) { mailbox, observation in
                address = observation.address
                let payload = InlinePayload(payload, of: trace.number)
                return mailbox.enqueueTraced(payload, to: observation)
            }
        }
        if isQueued {
            trace.queued(to: address)
            trace.end(isUnheard: false)
        } else {
            trace.putAside()
        }
        return isQueued
    }

    /// - Parameter expected: the state that the observation has to be in, of the bits that say how
    ///   it is queued.
    @inline(__always)
    private func queueOne(
        _ match: borrowing Match,
        _ expected: UInt32 = Observation.State.routed | Observation.State.inlinesPayload,
        through enqueue: (SharedMailbox, Observation) -> Bool
    ) -> Bool {
        let (observation, slot) = (ObservationListView(match[0])[0], match.slot)
        return observation._withUnsafeGuaranteedRef { observation in
            guard observation.seenState & Observation.State.howToQueue == expected,
                let mailbox = observation.mailboxReference
            else { return false }
            let isQueued = mailbox._withUnsafeGuaranteedRef { mailbox in
                !mailbox.deliversInline() && enqueue(mailbox, observation)
            }
            if isQueued { observation.endCall(in: slot) }
            return isQueued
        }
    }
}
