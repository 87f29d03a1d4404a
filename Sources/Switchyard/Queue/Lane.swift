// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The posts of one style that wait for the same modes, first in, first out.
struct Lane {
    let style: NotificationQueue.PostingStyle
    let modes: RunLoopModes
    /// The first and last of ``PendingPosts``; -1 when there is none.
    var first: Int32 = -1
    var last: Int32 = -1
    /// Which call of the run loop's will drain it; 0 when none is on its way.
    var arming: UInt64 = 0

    var isEmpty: Bool { first < 0 }

    init(_ style: NotificationQueue.PostingStyle, _ modes: RunLoopModes) {
        self.style = style
        self.modes = modes
    }
}

/// A request to have a lane drained by the run loop.
struct Arming: Sendable {
    let lane: Int
    let number: UInt64
    let style: NotificationQueue.PostingStyle
    let modes: RunLoopModes
    let hooks: RunLoopHooks
}

/// What a drain takes: lanes that the loop's mode is in, up to the last entry that was there when it
/// began.
struct Drain: Sendable {
    let limit: UInt64
    var lanes: [Int] = []
    /// In place of `lanes`, when there is one.
    var onlyLane = -1

    init(limit: UInt64) { self.limit = limit }

    mutating func add(lane: Int) {
        if onlyLane < 0, lanes.isEmpty {
            onlyLane = lane
        } else {
            if lanes.isEmpty { lanes.append(onlyLane) }
            onlyLane = -1
            lanes.append(lane)
        }
    }
}
