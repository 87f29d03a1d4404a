// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The deliveries that wait for one observation with a bound.
///
/// They wait in the mailbox, in the order of all observers; here they are counted, and taken out of
/// it when the bound says so. Decisions are made under the lock, everything else outside of it.
final class BoundedFlow: Sendable {
    private let bound: DeliveryBound
    /// Set when the bound is a mailbox's, shared out among its observers.
    private let quota: MailboxQuota?
    private let state = Guarded(BoundedState())
    private let hasLeft = Atomic<Bool>(false)

    init(_ bound: DeliveryBound) {
        self.bound = bound
        quota = nil
    }

    init(sharing quota: MailboxQuota) {
        bound = quota.bound
        self.quota = quota
        quota.join()
    }

    deinit { leave() }

    private var limit: Int { quota?.share ?? bound.limit }

    private func leave() {
        if let quota, !hasLeft.exchange(true, ordering: .relaxed) { quota.leave() }
    }
}

// MARK: - Posting

extension BoundedFlow {
    /// Queues, loses or refuses one delivery, and says so in `receipt`.
    func offer(
        _ parcel: AnyParcel, to observation: Observation, in mailbox: DeliveryMailbox,
        for wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        let held = HeldParcel(
            parcel, key: bound.key.flatMap { parcel.key($0, for: observation.handler) }, in: self)
        let waiter = wait.map { wait in
            BoundedState.Waiter(
                held: held, observation: observation, mailbox: mailbox, wait: wait,
                ticket: wait.goal == .accepted ? .init(wait, mailbox.waitPlaces) : nil)
        }
        switch decide(held, waiter) {
        case .queue(let other):
            if other != nil {
                count(&receipt.dropped, observation)
                mailbox.becameHollow()
            }
            let entry = MailEntry(.passUnretained(observation), held)
            mailbox.enqueue(entry, from: held.center, &receipt)
        case .lose:
            count(&receipt.dropped, observation)
        case .refuse:
            count(&receipt.refused, observation)
        case .hold:
            receipt.queued &+= 1
        }
    }

    private func count(_ field: inout Int, _ observation: Observation) {
        field &+= 1
        observation.lost.wrappingAdd(1, ordering: .relaxed)
    }

    private func decide(
        _ held: HeldParcel, _ waiter: BoundedState.Waiter?
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
    /// Takes `held` out of those that wait, to be delivered; who waited for room gets it.
    ///
    /// - Returns: How many were lost right before it; nil if it was lost itself.
    func take(_ held: HeldParcel) -> Int? {
        let lost = state.withLock { state -> Int? in
            if held.isHollow { return nil }
            state.remove(held)
            return held.lost
        }
        admitWaiters()
        return lost
    }

    private func admitWaiters() {
        while let waiter = state.withLock({ $0.admit(limit) }) {
            if waiter.wait.isOver {
                // Its post gave up meanwhile.
                state.withLock { $0.remove(waiter.held) }
                continue
            }
            var receipt = PostReceipt()
            let entry = MailEntry(.passUnretained(waiter.observation), waiter.held)
            waiter.mailbox.enqueue(entry, from: waiter.held.center, &receipt)
        }
    }

    /// Tells who observes how many deliveries were lost, before the next.
    func tell(_ lost: Int, _ observation: Observation) {
        if lost > 0, !observation.isCancelled { bound.onLag?(lost) }
    }

    /// Lets go of those who wait for room: there will be none.
    func observationEnded() {
        leave()
        while state.withLock({ $0.dismiss() }) != nil {}
    }

    /// Lets go of those who wait for room in the mailbox of this name.
    func mailboxEnded(_ label: String) {
        while let waiter = state.withLock({ $0.dismiss() }) {
            waiter.held.parcel.mailboxEnded(label)
            waiter.ticket?.mailboxEnded(label)
        }
    }
}
