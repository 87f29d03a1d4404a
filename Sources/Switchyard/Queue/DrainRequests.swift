// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The next drain of each lane: a call of the run loop, or a block of the main queue.
///
/// A pure state machine: the thread's post queue tells it what happened, and it answers which call
/// has to be asked for. The state machine performs no action itself, so a test can try every order
/// of events. Guard: the post queue's lock.
///
/// A lane is requested when it has the number of a call. Two things hold whenever the lock is free:
/// - A lane that is not empty is requested.
/// - The call of a requested lane is still to come: from the run loop, or, on the main queue, as
///   the block that is on its way. A lane that stayed requested after its call would be deaf for
///   ever.
///
/// A call whose lane has another number by now does nothing.
package struct DrainRequests: Hashable, Sendable {
    private struct Lane: Hashable, Sendable {
        /// The number of the lane's call; 0 for none.
        var number: UInt64 = 0
        /// The last number that had been given to any lane when the last drain in one of this
        /// lane's modes came: calls up to it may belong to the present pass of the loop.
        var lastOfPass: UInt64 = 0
    }

    private var lanes = [Lane(), Lane()]
    private var last: UInt64 = 0
    /// The number of drains under way, one inside the other.
    private var drains = 0
    /// Whether a block of the main queue is on its way that drains asap.
    private var hasHop = false
    /// Whether a block of the main queue is on its way that drains whenIdle.
    private var hasIdleHop = false

    /// Two lanes, both without a call.
    package init() {}
}

// MARK: - Lanes

extension DrainRequests {
    /// Another lane, without a call.
    package mutating func addLane() { lanes.append(Lane()) }

    /// A lane is used again for other posts. The calls of its former use do nothing.
    package mutating func reuse(_ lane: Int) { lanes[lane] = Lane() }

    package func isRequested(_ lane: Int) -> Bool { lanes[lane].number != 0 }

    /// A post was put into a lane.
    ///
    /// - Returns: The number of the call to ask the run loop for; nil if one comes anyway.
    @inline(__always)
    package mutating func appended(to lane: Int, wasEmpty: Bool) -> UInt64? {
        let number = lanes[lane].number
        // A handler's posts wait for the next pass: a call that the loop had collected for the
        // present pass is not theirs. In modes of no drain there is no such pass, and each call
        // that is given up would stay with the loop until it runs in such a mode.
        let isOfThisPass = drains > 0 && wasEmpty && number <= lanes[lane].lastOfPass
        return number == 0 || isOfThisPass ? request(lane) : nil
    }

    private mutating func request(_ lane: Int) -> UInt64 {
        last &+= 1
        lanes[lane].number = last
        return last
    }
}

// MARK: - Calls and drains

extension DrainRequests {
    package func isDue(_ lane: Int, _ number: UInt64) -> Bool { lanes[lane].number == number }

    /// A call has come.
    ///
    /// - Returns: Whether it is the lane's, and a drain has to follow.
    package mutating func callCame(for lane: Int, _ number: UInt64) -> Bool {
        guard isDue(lane, number) else { return false }
        lanes[lane].number = 0
        return true
    }

    /// A drain comes in one of the lane's modes, whatever its style.
    package mutating func passComes(to lane: Int) { lanes[lane].lastOfPass = last }

    /// A drain comes to a lane of its style and mode. The call that was asked for is not needed any
    /// more, also if the lane is empty: on the main queue that call would never come.
    ///
    /// - Returns: Whether the drain takes posts from the lane.
    package mutating func drainComes(to lane: Int, isEmpty: Bool) -> Bool {
        lanes[lane].number = 0
        return !isEmpty
    }

    /// A drain has something to post.
    package mutating func drainBegan() { drains += 1 }

    package mutating func drainEnded() { drains -= 1 }

    /// The handlers of a drain are about to run. A lane that still holds posts needs a call,
    /// whether the drain takes it or not: for a run loop inside a handler, and for entries that
    /// come meanwhile.
    ///
    /// - Returns: The number of the call to ask the run loop for; nil if none is needed.
    package mutating func handlersRun(_ lane: Int, isEmpty: Bool) -> UInt64? {
        lanes[lane].number == 0 && !isEmpty ? request(lane) : nil
    }
}

// MARK: - The main queue

extension DrainRequests {
    /// A lane of the main thread was requested, or the main thread has ended.
    ///
    /// - Returns: Whether to send a block to the main queue; false if one is on its way.
    package mutating func wantsHop() -> Bool {
        defer { hasHop = true }
        return !hasHop
    }

    /// The block of the main queue has come.
    ///
    /// - Parameter isLoopRunning: whether the main run loop runs: then its own calls drain.
    /// - Returns: Whether to drain asap, and after that ask ``wantsIdleHop(forAny:)``.
    package mutating func hopCame(isLoopRunning: Bool) -> Bool {
        hasHop = false
        return !isLoopRunning
    }

    /// - Parameter lanes: those of whenIdle that the main queue serves.
    /// - Returns: Whether to send the block for whenIdle to the main queue.
    package mutating func wantsIdleHop(forAny lanes: [Int]) -> Bool {
        // An emptied lane is asked for too: its request has to be taken back.
        guard !hasIdleHop, lanes.contains(where: isRequested) else { return false }
        hasIdleHop = true
        return true
    }

    /// The block for whenIdle has come; otherwise as ``hopCame(isLoopRunning:)``.
    package mutating func idleHopCame(isLoopRunning: Bool) -> Bool {
        hasIdleHop = false
        return !isLoopRunning
    }
}

/// A request to have a lane drained by the run loop.
final class DrainRequest: Sendable {
    let lane: Int
    let number: UInt64
    let style: LaneStyle
    let modes: RunLoopModes
    let hooks: RunLoopHooks
    /// Whether the main queue is asked as well.
    let hops: Bool

    init(
        lane: Int, number: UInt64, style: LaneStyle, modes: RunLoopModes,
        hooks: RunLoopHooks, hops: Bool
    ) {
        self.lane = lane
        self.number = number
        self.style = style
        self.modes = modes
        self.hooks = hooks
        self.hops = hops
    }
}
