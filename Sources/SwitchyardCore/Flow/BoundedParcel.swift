// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for an observation with a bound: it can be lost while it waits, in the mailbox or for
/// the end of a pause, and is discarded there then.
final class BoundedParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; the links and `lost` are behind the flow's lock, `gap` is used
    // by the thread that delivers, the rest is constant or atomic.
    let key: AnyHashable?
    let hash: Int?
    /// The parcel's neighbours among the waiting ones. They are not retained here: the mailbox, or
    /// the pause, in which they wait retains them until they are taken out.
    unowned(unsafe) var previous: BoundedParcel?
    unowned(unsafe) var next: BoundedParcel?
    /// The number of deliveries lost right before this one.
    var lost = 0
    /// ``lost``, read without the lock by the thread that delivers.
    private var gap = 0
    /// Posts that waited for room when the mailbox ended; for the thread that ends it alone.
    private var dismissed: [RoomWaiter] = []
    // Kept by the observation, which the mailbox's entry keeps.
    private unowned let flow: BoundedFlow
    private let discarded = Atomic<Bool>(false)

    init(_ parcel: AnyParcel, key: AnyHashable?, in flow: BoundedFlow) {
        self.key = key
        hash = key?.hashValue
        self.flow = flow
        super.init(around: parcel)
    }

    /// Guard: the flow's lock.
    func markDiscarded() { discarded.store(true, ordering: .relaxed) }

    override var isDiscarded: Bool { discarded.load(ordering: .relaxed) }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        guard takeOut() else { return nil }
        return deliverUnderClaim(to: observation)
    }

    override func deliverAsync(to observation: Observation) async {
        if takeOut() { await deliverUnderOpenClaim(to: observation) }
    }

    /// Whether it was not lost while it waited.
    private func takeOut() -> Bool {
        guard let lost = flow.take(self) else { return false }
        gap = lost
        return true
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        if gap > 0 { tellGap() }
        return try parcel.callHandler(handler)
    }

    /// Tells the observer of the deliveries that were lost right before this one.
    private func tellGap() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        flow.tell(gap)
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        flow.tell(gap)
        return try parcel.work(for: handler)
    }

    // The flow does not keep its parcels, so none may go before it has been taken out.
    override func wasDiscarded() {
        // The one that has marked it tells the post what became of it.
        if isDiscarded { return }
        flow.discard(self)
        parcel.wasDiscarded()
    }

    override func mailboxIsEnding() -> Int {
        dismissed = flow.dismissWaiters()
        // From here on no delivery gives way. One that did is counted by the post that displaced
        // it.
        let own = isDiscarded ? -1 : parcel.mailboxIsEnding()
        return dismissed.reduce(own) { $0 + $1.mailboxIsEnding() }
    }

    override func mailboxEnded(_ label: String) -> Bool {
        let isTold = isDiscarded ? false : parcel.mailboxEnded(label)
        for waiter in dismissed { waiter.mailboxEnded(label) }
        // Last: the end of a payload may be the user's code, which may end the thread.
        dismissed = []
        return isTold
    }
}

extension BoundedParcel: EndsWithThread {
    /// Code that was called before the handler has ended its thread: it was told of lost
    /// deliveries, or of one that has got the room of this one.
    func threadEnds() { parcel.threadEnded() }
}
