// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
public import SwitchyardDistributed

/// The outcome of a service's shutdown: what was dropped.
public struct DrainReport: Sendable, CustomStringConvertible {
    /// The service's description.
    public let name: String
    /// The number of deliveries, or of notifications to other processes, that were dropped; 0:
    /// nothing was left. Losses whose number is not known count as none.
    public let left: Int
    /// The losses of a distributed center.
    public let losses: [DistributedLoss]
    /// Whether a handler was still running on the thread when the limit was over.
    public let isStillRunning: Bool
    /// Whether the service's task was cancelled, so that nothing was drained.
    public let isCancelled: Bool

    /// The outcome in one line.
    public var description: String {
        var text = "\(name): " + (isCancelled ? "cancelled" : "shut down")
        text += left == 0 && losses.isEmpty ? ", nothing was left" : ", \(left) dropped"
        if losses.contains(where: { !$0.isCountKnown }) {
            text += ", and more that can't be counted"
        }
        return text + (isStillRunning ? ", a handler is still running" : "")
    }
}
#endif
