// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for one delivery whose times are watched.
final class TimedParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant or atomic.
    private let watch: LateWatch
    private let posted: Duration
    /// Whether a pause has kept the delivery: most of its wait is the user's wish, and no backlog.
    private let wasKept = Atomic<Bool>(false)

    /// Makes a timed parcel, which has to be put into the mailbox now.
    init(_ parcel: AnyParcel, by watch: LateWatch) {
        self.watch = watch
        posted = watch.now
        super.init(around: parcel)
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        if isDiscarded { return parcel.deliver(to: observation) }
        let wait: LateWatch.Wait = wasKept.load(ordering: .relaxed) ? .inPause : .since(posted)
        return watch.deliver(to: observation, wait) { parcel.deliver(to: observation) }
    }

    override func isKept() { wasKept.store(true, ordering: .relaxed) }

    // Async handlers have mailboxes of their own, which nobody can name to have them watched.
    override func deliverAsync(to observation: Observation) async {
        await parcel.deliverAsync(to: observation)
    }
}

/// A payload that is nothing but bits, where a parcel is needed after all.
final class InlineParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let payload: InlinePayload

    init(_ payload: InlinePayload) {
        self.payload = payload
        super.init(objectIsGone: false)
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        try payload.withPointer { address in
            try handler._withUnsafeGuaranteedRef { try $0.deliver(at: address) }
        }
    }
}
