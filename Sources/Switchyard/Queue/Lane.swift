// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A posting style of posts that wait: every style but now.
enum LaneStyle: Sendable {
    /// Posted soon, before the run loop waits again.
    case asap
    /// Posted when the run loop is about to wait.
    case whenIdle
}

/// The style and modes of a lane.
struct LaneKey: Hashable {
    let style: LaneStyle
    let modes: Set<RunLoop.Mode>
}

/// The posts of one style that wait for the same modes, first in, first out.
struct Lane {
    let style: LaneStyle
    /// The first and last of ``PendingPosts``; -1 when there is none.
    var first: Int32 = -1
    var last: Int32 = -1

    init(_ style: LaneStyle) { self.style = style }

    @inline(__always)
    var isEmpty: Bool { first < 0 }
}

/// The extent of one drain: the lanes that the loop's mode is in, up to the last entry that was
/// there when the drain began.
struct Drain: Sendable {
    let limit: UInt64
    /// The only lane; -1 if there are none or several.
    private(set) var onlyLane = -1
    /// The lanes, when there are several.
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
