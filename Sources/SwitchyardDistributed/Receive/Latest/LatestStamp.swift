// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The rank of a value among those of its name and object: all processes put them in the same
/// order.
struct LatestStamp: Sendable, Hashable, Comparable {
    /// The time of the post, or of the end (``LatestClock``).
    let time: UInt64
    /// The id of the process that posted or ended the value: it decides between equal times.
    let process: String

    static func < (one: LatestStamp, other: LatestStamp) -> Bool {
        (one.time, one.process) < (other.time, other.process)
    }
}
