// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A parcel for one delivery whose times are watched.
final class TimedParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let watch: LateWatch
    private let posted: Duration

    /// Makes a timed parcel, which has to be put into the mailbox now.
    init(_ parcel: AnyParcel, by watch: LateWatch) {
        self.watch = watch
        posted = watch.now
        super.init(around: parcel)
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        if isDiscarded { return parcel.deliver(to: observation) }
        return watch.deliver(to: observation, posted: posted) { parcel.deliver(to: observation) }
    }

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
