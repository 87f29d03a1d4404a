// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The progress of a post through plain observations.
package struct PlainRun {
    /// The number of handlers that ran.
    var delivered = 0
    /// The first observation that was not called.
    var next = 0
    /// The number of observations at the beginning.
    var end: Int
    /// The outcome of the last call, unless it is counted among ``delivered``.
    var outcome = DeliveryOutcome.delivered

    /// Whether there is nothing left to do for the post.
    var isOver: Bool { next == end && outcome == .delivered }
    /// Whether the match is one list with one observation, which is not plain.
    var isOne: Bool { next == 0 && end == 1 }
}

extension PostReceipt {
    init(_ run: PlainRun) {
        delivered = run.delivered
        if run.outcome != .delivered { count(run.outcome) }
    }
}

extension Match {
    /// Calls the only observation of a list, if it is plain: on, on the posting thread, and any
    /// number of times.
    @inline(__always)
    static func callOne<Payload>(
        _ payload: Payload, _ list: ObservationListView, _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) -> PlainRun {
        list[0]._withUnsafeGuaranteedRef { observation in
            observation.beginCall(in: slot)
            let state = observation.seenState
            // The slot goes on naming the observation, for the one who queues or calls it.
            if state & Observation.State.notPlain != 0 { return PlainRun(end: 1) }
            let outcome = Observation.call(.passUnretained(observation), payload, state)
            observation.endCall(in: slot)
            return outcome == .delivered
                ? PlainRun(delivered: 1, next: 1, end: 1)
                : PlainRun(next: 1, end: 1, outcome: outcome)
        }
    }

    /// Calls the observations of a list, one after the other, for as long as they are plain.
    // A function of its own, with little in it: nothing else runs as often. It gets the slot alone,
    // which stays in a register; a match would not.
    @inline(never)
    static func callAll<Payload>(
        _ payload: Payload, _ list: ObservationListView, _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) -> PlainRun {
        var run = PlainRun(end: list.count)
        if run.end == 0 { return run }
        var observation = list[0]
        observation._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
        while true {
            let state = observation._withUnsafeGuaranteedRef(\.seenState)
            if state & Observation.State.notPlain != 0 { return run }
            run.next &+= 1
            run.outcome = Observation.call(observation, payload, state)
            if run.outcome != .delivered { break }
            run.delivered &+= 1
            if run.next == run.end { break }
            // The slot names the next observation from here on.
            let next = list[run.next]
            next._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
            if observation._withUnsafeGuaranteedRef(\.listensForEnds) {
                deliveryEnded(observation, before: next, slot)
            }
            observation = next
        }
        observation._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        return run
    }

    /// Ends the delivery to `observation`, which may run the user's code. Takes the next
    /// observation out of the slot first, so that this thread does not look as if it were inside
    /// that one.
    @inline(never)
    static func deliveryEnded(
        _ observation: Unmanaged<Observation>, before next: Unmanaged<Observation>,
        _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) {
        next._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        observation._withUnsafeGuaranteedRef { $0.deliveryEnded() }
        next._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
    }
}
