// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The result of sending a request.
public struct DistributedAskResult: Sendable, Hashable {
    /// The processes that it went to because they observe its name and object: the one who asks
    /// waits for their answers.
    public var asked: [DistributedPeer]
    /// The number of such processes that it did not go to, because too much waits for them.
    public var dropped: Int

    /// Creates a result.
    public init(asked: [DistributedPeer] = [], dropped: Int = 0) {
        self.asked = asked
        self.dropped = dropped
    }
}
