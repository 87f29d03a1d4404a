// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

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
