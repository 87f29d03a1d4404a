// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// How a center's links to other processes behave.
public struct DistributedLimits: Sendable, Hashable {
    /// What happens when as much waits for a process that does not read as may.
    public enum Overflow: Sendable, Hashable {
        /// What is posted is not kept for it.
        case dropNewest
        /// What has waited longest is given up.
        case dropOldest
        /// Of notifications with the same name and object, all but the last are given up; if that does
        /// not make room, what has waited longest.
        case keepLatest
    }

    /// How many bytes may wait for each other process: 64 MiB, unless told otherwise. For one that has
    /// not yet said what it observes, of whatever is posted 4 MiB may wait at most.
    public var queueBytes: Int
    /// What happens beyond. The process, and this one, are told how many notifications were lost.
    public var overflow: Overflow

    /// Limits for each other process.
    ///
    /// - Parameters:
    ///   - queueBytes: how many bytes may wait for it; at least one frame always may.
    ///   - overflow: what happens beyond.
    public init(queueBytes: Int = 64 * 1024 * 1024, overflow: Overflow = .dropNewest) {
        precondition(queueBytes > 0, "queueBytes is a positive number of bytes")
        self.queueBytes = queueBytes
        self.overflow = overflow
    }
}
