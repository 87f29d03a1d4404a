// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The deliveries that wait for one observation with a bound.
///
/// Deliveries wait in the mailbox, in the order of all observers. The flow counts them, and takes
/// them out of the mailbox when the bound says so. It decides under its lock and does everything
/// else outside of it.
final class BoundedFlow: QuotaSharer {
    private let bound: DeliveryBound
    /// Whether the observer wants to be told of lost deliveries.
    private let tellsLag: Bool
    /// The user's code, until the observation has ended.
    private let callbacks: Guarded<BoundCallbacks?>
    /// Set when the bound is a mailbox's, shared out among its observers.
    private let quota: MailboxQuota?
    private let state = Guarded(BoundedState())
    private let hasLeft = Atomic<Bool>(false)
    /// The number of waiting deliveries whose place a newer one with the same key took.
    let replaced = Atomic<UInt64>(0)

    /// - Parameter quota: set when the bound is a mailbox's.
    init(_ bound: DeliveryBound, sharing quota: MailboxQuota? = nil) {
        self.bound = bound.withoutCallbacks
        callbacks = Guarded(bound.callbacks)
        tellsLag = bound.onLag != nil
        self.quota = quota
        quota?.join()
    }

    deinit {
        leave()
        quota?.forget(self)
    }

    private var limit: Int { quota?.share ?? bound.limit }

    /// The bound as it was asked for; nil if it is the mailbox's.
    var ownBound: DeliveryBound? {
        quota == nil ? callbacks.withLock { $0 }.map { bound.with($0) } ?? bound : nil
    }

    /// Whether deliveries wait for room, or are getting it.
    var givesRoom: Bool { state.withLock(\.givesRoom) }

    private func leave() {
        if let quota, !hasLeft.exchange(true, ordering: .relaxed) { quota.leave() }
    }
}

// MARK: - Posting

extension BoundedFlow {
    /// Queues, loses or refuses one delivery, and says so in `receipt`.
    func offer(
        _ parcel: AnyParcel, to observation: Observation, in mailbox: SharedMailbox,
        for wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        let key = callbacks.withLock { $0?.key }
        let held = BoundedParcel(
            parcel, key: key.flatMap { parcel.key($0, for: observation.handler) }, in: self)
        let waiter = wait.flatMap {
            $0.waitsForRoom ? RoomWaiter(held, observation, mailbox, $0) : nil
        }
        switch decide(held, waiter) {
        case .queue(let other):
            if other != nil { count(&receipt.dropped, observation) }
            queue(held, inPlaceOf: other, observation, mailbox, wait, &receipt)
        case .replace(let other):
            receipt.dropped &+= 1
            replaced.wrappingAdd(1, ordering: .relaxed)
            queue(held, inPlaceOf: other, observation, mailbox, wait, &receipt)
        case .lose:
            count(&receipt.dropped, observation)
        case .refuse:
            count(&receipt.refused, observation)
        case .hold(let number, _):
            receipt.queued &+= 1
            wait?.whenGivenUp { [weak self] wait in self?.withdraw(number, observation, wait) }
            admit(state.withLock { $0.takeOverOwnTurn(limit) })
            awaitRoomOfOthers()
        }
    }

    private func queue(
        _ held: BoundedParcel, inPlaceOf other: BoundedParcel?, _ observation: Observation,
        _ mailbox: SharedMailbox, _ wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        if let other {
            other.parcel.wasDisplaced()
            wait?.displacedOther()
        }
        mailbox.enqueue(held, to: observation, &receipt)
        // Afterwards: the last reference to a payload may run the user's code, which may end the
        // thread.
        if other != nil { mailbox.entryWasDiscarded() }
    }

    /// Has the mailbox's quota tell this flow when its share has grown.
    private func awaitRoomOfOthers() {
        guard let quota else { return }
        quota.willTell(self)
        // The share may have grown just before.
        shareHasGrown()
    }

    private func withdraw(_ number: UInt64, _ observation: Observation, _ wait: PostWait) {
        // A request that has its answer asks nobody else any more: nothing is lost.
        let isLost = !wait.isEnded
        let waiter = state.withLock { $0.withdraw(number, asLost: isLost) }
        guard waiter != nil, isLost else { return }
        observation.lost.wrappingAdd(1, ordering: .relaxed)
        wait.wasRefused()
    }

    private func count(_ field: inout Int, _ observation: Observation) {
        field &+= 1
        observation.lost.wrappingAdd(1, ordering: .relaxed)
    }

    private func decide(
        _ held: BoundedParcel, _ waiter: RoomWaiter?
    ) -> BoundedState.Decision {
        guard let key = held.key, let hash = held.hash else {
            return state.withLock { $0.decide(held, bound.overflow, limit, waiter) }
        }
        // Keys are the user's, and so is their equality: compared without the lock, and again if
        // others with this hash came or went meanwhile.
        while true {
            let known = state.withLock { $0.withHash(hash) }
            let same = known.first { $0.key == key }
            let decision = state.withLock { state -> BoundedState.Decision? in
                guard state.withHash(hash).elementsEqual(known, by: ===) else { return nil }
                return state.replace(same, by: held, limit)
            }
            if let decision { return decision }
        }
    }
}

// MARK: - Delivering

extension BoundedFlow {
    /// Takes `held` out of the waiting parcels, to be delivered. A waiter gets the room.
    ///
    /// - Returns: The number of deliveries lost right before this one; nil if this one was lost.
    func take(_ held: BoundedParcel) -> Int? {
        // Under one lock: otherwise a post that comes between the two would take the room.
        let (lost, admitted) = state.withLock { state -> (Int?, BoundedState.Admitted?) in
            if held.isDiscarded { return (nil, nil) }
            state.remove(held)
            return (held.lost, state.admit(limit))
        }
        admit(admitted, after: held)
        return lost
    }

    /// Takes `held` out because it is dropped in a pause. The observer is still told of what was
    /// lost before it.
    func discard(_ held: BoundedParcel) {
        let admitted = state.withLock { state -> BoundedState.Admitted? in
            if held.isDiscarded { return nil }
            state.passOnLoss(of: held)
            state.remove(held)
            return state.admit(limit)
        }
        admit(admitted, after: held)
    }

    /// Gives free room to the posts that wait for it.
    func shareHasGrown() { admit(state.withLock { $0.admit(limit) }) }

    /// The most deliveries to which a drain gives room at once: the next one that it takes goes on.
    private static let mostAdmitted = 64

    /// Puts the first delivery that has got room into the mailbox, and the next ones behind it.
    ///
    /// - Parameter held: the delivery that made the room, and has not been made yet.
    private func admit(_ first: BoundedState.Admitted?, after held: BoundedParcel? = nil) {
        if let first { admitAll(first.waiter, in: first.turn, after: held) }
    }

    private func admitAll(_ first: RoomWaiter, in turn: UInt64, after held: BoundedParcel?) {
        let admission = Admission(first, in: self, turn, after: held)
        ThreadEnd.notify(admission)
        defer { ThreadEnd.forget(admission) }
        // Others give room to all that wait by now, and no more: while others post and a drain
        // takes, they might never return.
        let most =
            held == nil
            ? max(Self.mostAdmitted, state.withLock(\.waiterCount) + 1) : Self.mostAdmitted
        var admitted = 0
        var next: RoomWaiter? = first
        while let waiter = next {
            admission.waiter = waiter
            waiter.enqueue()
            admitted += 1
            next = state.withLock {
                $0.admitNext(limit, in: turn, mayStop: admitted >= most)
            }
        }
    }

    /// A turn at giving room. The mailbox may call the user's code, as a hook that is told of its
    /// length; if that ends the thread, the turn goes on at the thread's end.
    private final class Admission: EndsWithThread {
        /// The delivery that is being put into the mailbox.
        var waiter: RoomWaiter
        private let flow: BoundedFlow
        private let turn: UInt64
        private let held: BoundedParcel?

        init(
            _ waiter: RoomWaiter, in flow: BoundedFlow, _ turn: UInt64, after held: BoundedParcel?
        ) {
            self.waiter = waiter
            self.flow = flow
            self.turn = turn
            self.held = held
        }

        func threadEnds() {
            waiter.hasRoom()
            held?.threadEnds()
            let next = flow.state.withLock { $0.admitNext(flow.limit, in: turn) }
            if let next { flow.admitAll(next, in: turn, after: nil) }
        }
    }

    /// Tells the observer the number of deliveries that were lost, before the next. Under its
    /// claim.
    func tell(_ lost: Int) {
        if lost > 0 { callbacks.withLock { $0?.onLag }?.call(lost) }
    }

    /// Tells the observer how many deliveries were lost before one that is made inline. Does
    /// nothing while deliveries wait: each of those carries the number of losses before it.
    func tellLoss() {
        guard tellsLag else { return }
        let lost = state.withLock { $0.takeLoss() }
        if lost > 0 { tell(lost) }
    }

    /// Ends the waits for room: there will be none.
    func observationEnded() {
        while let waiter = state.withLock({ $0.dismissAtEnd() }) { waiter.observationEnded() }
        // Last: the posts that get the share may call the user's code, which may end the thread.
        leave()
    }

    /// Releases the user's code: no thread is inside it any more.
    func release() { _ = callbacks.exchange(nil) }

    /// Takes the posts that wait for room and get none, because their mailbox ends.
    func dismissWaiters() -> [RoomWaiter] {
        var waiters: [RoomWaiter] = []
        while let waiter = state.withLock({ $0.dismiss() }) { waiters.append(waiter) }
        return waiters
    }
}
