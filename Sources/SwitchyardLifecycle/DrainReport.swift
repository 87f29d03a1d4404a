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
    /// The processes, or the server or stream between them, that had not taken everything when the
    /// limit was over. Their losses are in ``losses``, or, if a transport still tries, come to the
    /// center's loss hook.
    public let unflushed: [DistributedPeer]
    /// Whether the thread had not ended when the service did: a handler, or a block that the thread
    /// was given, had not returned. False for a distributed center, which has left.
    public let isStillRunning: Bool
    /// Whether the service's task was cancelled, so that nothing was drained.
    public let isCancelled: Bool

    /// The outcome in one line.
    public var description: String {
        var text = "\(name): " + (isCancelled ? "cancelled" : "shut down")
        let isNothing = left == 0 && losses.isEmpty && unflushed.isEmpty
        text += isNothing ? ", nothing was left" : ", \(left) dropped"
        if losses.contains(where: { !$0.isCountKnown }) {
            text += ", and more that can't be counted"
        }
        if !unflushed.isEmpty {
            let names = unflushed.map(\.processName).joined(separator: ", ")
            text += ", not everything was taken by \(names)"
        }
        return text + (isStillRunning ? ", the thread is still running" : "")
    }
}
#endif
