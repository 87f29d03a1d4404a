// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Objects that were given up under a lock, to be destroyed when the lock is free: their deinits
/// may be the user's code.
struct Garbage: @unchecked Sendable {
    // Sendable: it never leaves the thread, and is the only owner of its objects.

    private var objects: [AnyObject] = []
    /// Observations cancelled under the lock, whose captures are to be released.
    private var cancelled: [Observation] = []
    /// Observations that end behind the deliveries that wait in their mailboxes.
    private var ending: [Observation] = []

    mutating func keep(_ object: AnyObject) { objects.append(object) }
    /// Has deliveries given up that a pause has kept.
    mutating func keep(_ deliveries: PausedDeliveries) { keep(GivenUp(deliveries) as AnyObject) }
    mutating func keep(cancelled observation: Observation) { cancelled.append(observation) }

    mutating func keep(endingBehindMail observation: Observation) { ending.append(observation) }

    /// Destroys everything. To be called without a lock.
    mutating func empty() {
        guard !objects.isEmpty || !cancelled.isEmpty || !ending.isEmpty else { return }
        for observation in cancelled { observation.deliveryEnded() }
        for observation in ending { observation.endBehindMail() }
        cancelled = []
        ending = []
        objects = []
    }
}

/// Deliveries that are given up with this.
private final class GivenUp {
    private let deliveries: PausedDeliveries
    init(_ deliveries: PausedDeliveries) { self.deliveries = deliveries }
    deinit { deliveries.giveUp() }
}
