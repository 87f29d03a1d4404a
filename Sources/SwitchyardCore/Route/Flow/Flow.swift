// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The delivery options of an observation that few ask for: priority, pace and bound.
final class Flow: Sendable {
    /// The order within one post: the higher comes first.
    let priority: Int
    /// When deliveries are made.
    let pacer: Pacer?
    /// How many may wait.
    let bounded: BoundedFlow?

    /// Nil when there is nothing special.
    @inline(__always)
    static func make(_ options: ObservationOptions, _ mailbox: SharedMailbox?) -> Flow? {
        if options.priority == 0, !options.asksForFlow, mailbox?.quota == nil { return nil }
        return Flow(options, mailbox)
    }

    private init?(_ options: ObservationOptions, _ mailbox: SharedMailbox?) {
        priority = options.priority
        pacer = options.pace.map { Pacer($0) }
        if mailbox == nil {
            bounded = nil
        } else if let bound = options.bound {
            bounded = BoundedFlow(bound)
        } else {
            bounded = mailbox?.quota.map { BoundedFlow($0.bound, sharing: $0) }
        }
        if priority == 0, pacer == nil, bounded == nil { return nil }
    }

    /// The bound that was asked for with the observation.
    var ownBound: DeliveryBound? { bounded?.ownBound }

    func observationEnded() {
        pacer?.observationEnded()
        bounded?.observationEnded()
    }
}
