// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The posts of one style that wait for the same modes, first in, first out.
struct Lane {
    let style: NotificationQueue.PostingStyle
    /// The first and last of ``PendingPosts``; -1 when there is none.
    var first: Int32 = -1
    var last: Int32 = -1

    init(_ style: NotificationQueue.PostingStyle) { self.style = style }

    @inline(__always)
    var isEmpty: Bool { first < 0 }
}

/// A request to have a lane drained by the run loop.
final class Arming: Sendable {
    let lane: Int
    let number: UInt64
    let style: NotificationQueue.PostingStyle
    let modes: RunLoopModes
    let hooks: RunLoopHooks
    /// Whether the main queue is asked as well.
    let hops: Bool

    init(
        lane: Int, number: UInt64, style: NotificationQueue.PostingStyle, modes: RunLoopModes,
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

/// The extent of one drain: the lanes that the loop's mode is in, up to the last entry that was there
/// when the drain began.
struct Drain: Sendable {
    let limit: UInt64
    /// In place of `others`, when there is one.
    private(set) var onlyLane = -1
    private(set) var lanes: [Int] = []

    init(limit: UInt64) { self.limit = limit }

    var isEmpty: Bool { onlyLane < 0 && lanes.isEmpty }

    mutating func add(lane: Int) {
        if isEmpty {
            onlyLane = lane
        } else {
            if lanes.isEmpty { lanes.append(onlyLane) }
            onlyLane = -1
            lanes.append(lane)
        }
    }
}
