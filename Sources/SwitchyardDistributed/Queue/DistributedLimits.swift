// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Limits for a center's connections to other processes.
public struct DistributedLimits: Sendable, Hashable {
    /// The policy for a process that does not read, once its queue is full.
    public enum Overflow: Sendable, Hashable {
        /// Drops each new notification for the process.
        case dropNewest
        /// Drops the notifications that have waited longest.
        case dropOldest
        /// Drops all but the last of the notifications with the same name and object. If less than
        /// a sixteenth of the queue is free then, drops those that have waited longest, too.
        case keepLatest
    }

    /// The number of bytes that may wait for each other process: 64 MiB by default. For a process
    /// that has not said yet what it observes, all posted notifications wait, up to 4 MiB.
    ///
    /// Requests, answers, latest values and the jobs of groups may fill a quarter more, and are not
    /// dropped for newer notifications: somebody waits for them.
    ///
    /// Setting a number that is not positive traps.
    public var queueBytes: Int {
        didSet { Self.check(queueBytes) }
    }
    /// The policy for a full queue. Both processes learn how many notifications were lost.
    public var overflow: Overflow

    /// Creates limits for each other process.
    ///
    /// - Parameters:
    ///   - queueBytes: The number of bytes that may wait for a process; a positive number, or this
    ///     traps. One frame always may.
    ///   - overflow: The policy for a full queue.
    public init(queueBytes: Int = 64 * 1024 * 1024, overflow: Overflow = .dropNewest) {
        Self.check(queueBytes)
        self.queueBytes = queueBytes
        self.overflow = overflow
    }

    private static func check(_ queueBytes: Int) {
        Misuse.unless(queueBytes > 0, "queueBytes is a positive number of bytes")
    }
}
