// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The priority, condition, pace and bound of one observation; most have none, and no object of
/// this class.
///
/// A flow stands between a post and the observer's mailbox: it may put a delivery off, drop it,
/// refuse it, or have it wait for room.
class DeliveryFlow: @unchecked Sendable {
    // Sendable: the properties of this class are constant; the subclass answers for itself.

    /// The order within one post: the higher comes first.
    let priority: Int
    /// Whether there is a condition.
    let isFiltered: Bool

    init(priority: Int, isFiltered: Bool) {
        self.priority = priority
        self.isFiltered = isFiltered
    }

    /// The condition that a post has to fulfil, if there is one. For callers inside the
    /// observation.
    var filter: DeliveryFilter? { nil }

    /// The number of posts that the condition has turned away.
    var filtered: UInt64 { 0 }

    /// Counts a post that the condition has turned away.
    func countFiltered() {}

    /// The group in which the observation shares its posts with others, if there is one.
    var group: AnyDeliveryGroup? { nil }

    /// Told that the observation has got its number, and is about to be registered.
    func isRegistered(as observation: Observation) {}

    /// Told where deliveries are kept while the observation is paused.
    func keeps(_ deliveries: PausedDeliveries) {}

    /// The pace, if there is one.
    var pace: DeliveryPace? { nil }

    /// The bound that was asked for with the observation; nil also if it is the mailbox's.
    var ownBound: DeliveryBound? { nil }

    /// The number of waiting deliveries whose place a newer one with the same key took.
    var replaced: UInt64 { 0 }

    /// Whether deliveries are put off until the pace allows them.
    final var isPaced: Bool { pace != nil }

    /// Whether there is more to decide about a delivery on the posting thread than its rank among
    /// others.
    final var needsRouting: Bool { isFiltered || isPaced || group != nil }

    /// The decision of a pace about a delivery that was offered.
    enum Offer {
        case delivered
        case putOff
        /// The observation has ended.
        case discarded
    }

    /// Calls `deliver` if the pace allows the delivery now; keeps it for later if not.
    func offer(_ entry: MailEntry, deliver: (consuming MailEntry) -> Void) -> Offer {
        deliver(entry)
        return .delivered
    }

    /// Whether a delivery is put off by the pace, is being made at its time, or waits for room.
    var isPutOff: Bool { false }

    /// Makes the delivery that the pace has put off now, because there is no later, and then calls
    /// `then`.
    func deliverPutOff(then: @escaping @Sendable () -> Void) { then() }

    /// Puts a delivery into `mailbox`, or drops or refuses it, or keeps it until there is room.
    func queue(
        _ parcel: AnyParcel, to observation: Observation, in mailbox: SharedMailbox,
        for wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        mailbox.enqueue(parcel, to: observation, &receipt)
    }

    /// Tells the observer of deliveries that were lost, before one that is made inline.
    func tellLoss() {}

    /// Takes out and claims the delivery that was put off, where the pace says that it is made
    /// although the observation ends.
    func takeForFlush(of observation: Observation) -> AnyParcel? { nil }

    /// The number of deliveries that were flushed and are still to come.
    var flushes: Int { 0 }

    /// Drops deliveries that were put off, and refuses posts that wait for room: the observation
    /// has ended.
    func observationEnded() {}

    /// Releases the user's code: nobody is inside it any more.
    func release() {}
}
