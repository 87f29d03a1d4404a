// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The deliveries that wait for one observation, in their order, and the rules by which they give
/// way.
struct BoundedState: @unchecked Sendable {
    // Sendable: behind its flow's lock.

    /// A thread's turn at giving room to deliveries that wait for it.
    struct Turn: Sendable {
        let number: UInt64
        let thread: UInt
    }

    /// The first delivery that gets room in a turn.
    struct Admitted: Sendable {
        let waiter: RoomWaiter
        let turn: UInt64
    }

    /// The decision about a delivery that was offered.
    enum Decision: Sendable {
        /// The delivery waits; the other, if any, is dropped for it.
        case queue(lost: BoundedParcel?)
        /// The delivery waits in place of another one with its key.
        case replace(BoundedParcel)
        case lose
        case refuse
        /// The delivery waits for room, under this number. The delivery that makes room queues it.
        /// If another delivery of this kind waited for room, this one replaces it.
        case hold(UInt64, replaced: RoomWaiter?)
    }

    // Unsafe, because not retained here: the mailbox, or the pause, that they wait in retains them,
    // see `BoundedParcel`.
    private unowned(unsafe) var first: BoundedParcel?
    // Not retained either: see `first`.
    private unowned(unsafe) var last: BoundedParcel?
    private var count = 0
    /// The number of deliveries lost after the last that waits.
    private var lost = 0
    /// The deliveries that have a key, by its hash.
    private var byHash: [Int: [BoundedParcel]] = [:]
    private var waiters = RoomQueue()
    /// The number of the newest delivery that a pace had put off, and that waits for room.
    private var latestPutOff: UInt64 = 0
    /// The turn of the thread that is putting deliveries that have got room into the mailbox; nil
    /// if none is. Until they are there, other posts wait behind them.
    private var turn: Turn?
    private var lastTurn: UInt64 = 0
    /// Whether nobody makes room any more.
    private var hasEnded = false
}

// MARK: - Posting

extension BoundedState {
    mutating func decide(
        _ held: BoundedParcel, _ overflow: DeliveryBound.Overflow, _ limit: Int,
        _ waiter: RoomWaiter?
    ) -> Decision {
        // Posts that wait for room came earlier, and get it first. A delivery after the end is
        // skipped by the drain, or refused by its mailbox.
        let isFirst = waiters.isEmpty && turn == nil
        if count < limit && isFirst || hasEnded {
            append(held)
            return .queue(lost: nil)
        }
        switch overflow {
        case .dropOldest, .keepLatest:
            return .queue(lost: makeRoom(for: held, losing: first))
        case .dropNewest:
            lost += 1
            return .lose
        case .wait:
            if let waiter { return hold(waiter) }
            lost += 1
            return .refuse
        case .refuse:
            lost += 1
            return .refuse
        }
    }

    private mutating func hold(_ waiter: RoomWaiter) -> Decision {
        guard waiter.wasPutOff else { return .hold(waiters.append(waiter), replaced: nil) }
        let replaced = waiters.remove(latestPutOff)
        latestPutOff = waiters.append(waiter)
        return .hold(latestPutOff, replaced: replaced)
    }

    /// The deliveries that wait and whose key has this hash.
    func withHash(_ hash: Int) -> [BoundedParcel] { byHash[hash] ?? [] }

    /// Queues `held` in place of `same`, or, when that is nil, of the oldest if there is no room.
    mutating func replace(
        _ same: BoundedParcel?, by held: BoundedParcel, _ limit: Int
    ) -> Decision {
        if hasEnded {
            append(held)
            return .queue(lost: nil)
        }
        if let same {
            makeRoom(for: held, losing: same)
            return .replace(same)
        }
        return .queue(lost: makeRoom(for: held, losing: count < limit ? nil : first))
    }

    /// Returns the number of deliveries lost since the last one, and sets it to zero, for a
    /// delivery that does not wait. Returns zero while other deliveries wait: the next of them
    /// tells of the loss.
    mutating func takeLoss() -> Int {
        if first != nil { return 0 }
        defer { lost = 0 }
        return lost
    }

    /// Has the delivery behind `held` tell of what was lost before that.
    mutating func passOnLoss(of held: BoundedParcel) {
        if let next = held.next { next.lost += held.lost } else { lost += held.lost }
        held.lost = 0
    }

    @discardableResult
    private mutating func makeRoom(
        for held: BoundedParcel, losing other: BoundedParcel?
    ) -> BoundedParcel? {
        if let other {
            // The gap is before the one that comes next.
            let gap = other.lost + 1
            if let next = other.next { next.lost += gap } else { lost += gap }
            remove(other)
        }
        append(held)
        return other
    }
}

// MARK: - Waiters

extension BoundedState {
    /// Whether deliveries wait for room, or are getting it.
    var givesRoom: Bool { turn != nil || !waiters.isEmpty }

    private mutating func append(_ held: BoundedParcel) {
        held.lost = lost
        lost = 0
        held.previous = last
        if let last { last.next = held } else { first = held }
        last = held
        count += 1
        if let hash = held.hash { byHash[hash, default: []].append(held) }
    }

    /// Takes `held` out; it is discarded from now on.
    mutating func remove(_ held: BoundedParcel) {
        if let previous = held.previous { previous.next = held.next } else { first = held.next }
        if let next = held.next { next.previous = held.previous } else { last = held.previous }
        held.previous = nil
        held.next = nil
        held.markDiscarded()
        count -= 1
        guard let hash = held.hash else { return }
        byHash[hash]?.removeAll { $0 === held }
        if byHash[hash]?.isEmpty == true { byHash[hash] = nil }
    }

    /// Gives room, if there is some, to the delivery that has waited longest. The caller puts it
    /// into the mailbox and asks for the next (``admitNext(_:in:mayStop:)``). Nil also while another
    /// turn is under way: the order in the mailbox is that in which the deliveries waited.
    mutating func admit(_ limit: Int) -> Admitted? {
        guard turn == nil, let waiter = popWaiter(limit) else { return nil }
        lastTurn += 1
        turn = Turn(number: lastTurn, thread: switchyard_thread_token())
        return Admitted(waiter: waiter, turn: lastTurn)
    }

    /// Gives room to the next delivery, when the one before it is in the mailbox.
    ///
    /// - Parameters:
    ///   - number: the caller's turn, which another may have taken over.
    ///   - mayStop: whether the caller may leave that to the drain that takes the next.
    mutating func admitNext(
        _ limit: Int, in number: UInt64, mayStop: Bool = false
    ) -> RoomWaiter? {
        guard turn?.number == number else { return nil }
        let waiter = mayStop && count > 0 ? nil : popWaiter(limit)
        if waiter == nil { turn = nil }
        return waiter
    }

    /// Takes over the turn of the calling thread, if it has one, for code of the user's that runs
    /// inside the turn. That code waits for room itself, and would wait for its own thread. The
    /// delivery that the turn has in hand is in the mailbox by then.
    mutating func takeOverOwnTurn(_ limit: Int) -> Admitted? {
        guard turn?.thread == switchyard_thread_token() else { return nil }
        turn = nil
        return admit(limit)
    }

    private mutating func popWaiter(_ limit: Int) -> RoomWaiter? {
        guard count < limit, let waiter = waiters.popFirst() else { return nil }
        append(waiter.held)
        return waiter
    }

    /// Takes out a waiter that will get no room, because the mailbox makes none any more.
    mutating func dismiss() -> RoomWaiter? {
        hasEnded = true
        return waiters.popFirst()
    }

    /// Takes out a waiter likewise, because the observation has ended. A delivery that moves on to
    /// another observation counts as waiting in the mailbox, where the caller puts it, behind
    /// earlier ones that move.
    mutating func dismissAtEnd() -> RoomWaiter? {
        guard let waiter = dismiss() else { return nil }
        if waiter.held.movesOn { append(waiter.held) }
        return waiter
    }

    /// The number of deliveries that wait for room.
    var waiterCount: Int { waiters.count }

    /// Takes out the waiter with this number, because its post waits no longer. Nil if it has got
    /// room, or was taken out before.
    mutating func withdraw(_ number: UInt64, asLost isLost: Bool) -> RoomWaiter? {
        guard let waiter = waiters.remove(number) else { return nil }
        if isLost { lost += 1 }
        return waiter
    }
}
