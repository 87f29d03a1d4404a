// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Packing: to put the payload of a post into a parcel for one delivery through a mailbox.
///
/// The deliveries of a post share one parcel. A delivery that somebody follows, traces or waits
/// for, or that goes to a member of a group, has the shared parcel in a wrapper of its own for each
/// of these.
extension PostState {
    /// Returns the parcel for the delivery to `observation`. The caller is inside the observation.
    mutating func pack<Payload>(
        _ payload: Payload, for observation: Observation, of posting: Posting
    ) -> AnyParcel {
        var parcel = observation.withHandler { (handler: _DeliveryHandler<Payload>) in
            sharedParcel(for: handler, payload, posting.subject)
        }
        if tracksDeliveries { parcel = tracked(parcel, to: observation) }
        guard let chosen = groups?.chosen else { return parcel }
        groups?.isTaken = true
        chosen.member.load.wrappingAdd(1, ordering: .relaxed)
        return GroupParcel(
            parcel, for: chosen, posting.topic, posting.subject, pinned: Pin(posting.subject))
    }

    /// Returns the post's parcel, made once with the object and once without, as `handler` needs
    /// it. A delivery to a group gets a parcel of its own, which may come to another member's
    /// handler.
    private mutating func sharedParcel<Payload>(
        for handler: _DeliveryHandler<Payload>, _ payload: Payload, _ subject: Subject
    ) -> AnyParcel {
        if groups?.chosen != nil {
            let made = handler.packForAny(payload, objectIsGone: subject.isGone)
            if made.objectIsGone { receipt.objectIsGone = true }
            return made
        }
        let keepsObject = handler.keepsObject(of: payload)
        if let parcel = keepsObject ? parcel : parcelWithoutObject { return parcel }
        let made = handler.pack(payload, objectIsGone: subject.isGone)
        if keepsObject { parcel = made } else { parcelWithoutObject = made }
        if made.objectIsGone { receipt.objectIsGone = true }
        return made
    }

    /// Wraps the parcel of one delivery for the post's follower, trace and wait, as far as the post
    /// has them.
    @inline(never)
    private func tracked(_ parcel: AnyParcel, to observation: Observation) -> AnyParcel {
        var parcel = parcel
        if let followed { parcel = FollowedParcel(parcel, by: followed.takeUnretainedValue()) }
        // Another member of the group gets the delivery if the observer dies.
        let outlivesObserver = groups?.chosen != nil
        if let trace {
            parcel = TracedParcel(
                parcel, of: trace.number, to: observation, outlivesObserver: outlivesObserver)
        }
        if let wait, wait.goal == .handled {
            // A handler that may be called again beside a call that waits holds up that call alone.
            let call = observation.has(Observation.State.concurrent) ? Observation.nextCall : 0
            parcel = AwaitedParcel(
                parcel, wait, for: observation, call: call, outlivesObserver: outlivesObserver)
        }
        return parcel
    }
}
