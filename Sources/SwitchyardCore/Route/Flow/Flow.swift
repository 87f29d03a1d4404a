// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What is special about how an observation is delivered to, for the few that ask for it.
final class Flow: Sendable {
    /// What comes first within one post: the higher.
    let priority: Int
    /// When deliveries are made.
    let pacer: Pacer?
    /// How many may wait.
    let bounded: BoundedFlow?

    /// Nil when there is nothing special.
    @inline(__always)
    static func make(_ options: ObservationOptions, _ mailbox: DeliveryMailbox?) -> Flow? {
        if options.priority == 0, !options.asksForFlow, mailbox?.quota == nil { return nil }
        return Flow(options, mailbox)
    }

    private init?(_ options: ObservationOptions, _ mailbox: DeliveryMailbox?) {
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

    func observationEnded() {
        pacer?.observationEnded()
        bounded?.observationEnded()
    }
}
