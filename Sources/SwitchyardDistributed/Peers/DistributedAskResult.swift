// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The result of sending a request.
public struct DistributedAskResult: Sendable, Hashable {
    /// The processes that it went to because they observe its name and object: the one who asks
    /// waits for their answers.
    public var asked: [DistributedPeer]
    /// The number of such processes that it did not go to, because too much waits for them.
    public var dropped: Int
    /// The ids of the processes that have not said what they observe, for the first time or since
    /// their connection broke: it waits for them until they do.
    public var kept: [String]

    /// Creates a result.
    public init(asked: [DistributedPeer] = [], dropped: Int = 0, kept: [String] = []) {
        self.asked = asked
        self.dropped = dropped
        self.kept = kept
    }
}
