// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Objects that were given up under a lock, to be destroyed when the lock is free: their deinits
/// may be the user's code.
struct Garbage: @unchecked Sendable {
    // Sendable: it never leaves the thread, and is the only owner of its objects.

    private var objects: [AnyObject] = []
    /// Observations cancelled under the lock, whose captures are to be released.
    private var cancelled: [Observation] = []

    mutating func keep(_ object: AnyObject) { objects.append(object) }
    /// Has deliveries given up that a pause has kept.
    mutating func keep(_ deliveries: PausedDeliveries) { keep(GivenUp(deliveries) as AnyObject) }
    mutating func keep(cancelled observation: Observation) { cancelled.append(observation) }

    /// Has an observation end behind the deliveries that wait in its mailbox.
    mutating func keep(endingBehindMail observation: Observation) {
        keep(EndingBehindMail(observation) as AnyObject)
    }

    /// Destroys everything. To be called without a lock.
    mutating func empty() {
        guard !objects.isEmpty || !cancelled.isEmpty else { return }
        for observation in cancelled { observation.deliveryEnded() }
        cancelled = []
        objects = []
    }
}

/// Deliveries that are given up with this.
private final class GivenUp {
    private let deliveries: PausedDeliveries
    init(_ deliveries: PausedDeliveries) { self.deliveries = deliveries }
    deinit { deliveries.giveUp() }
}

/// An observation that ends behind its mail, when this goes.
private final class EndingBehindMail {
    private let observation: Observation
    init(_ observation: Observation) { self.observation = observation }
    deinit { observation.endBehindMail() }
}
