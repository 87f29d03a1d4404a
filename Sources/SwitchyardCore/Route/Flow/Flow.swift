// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What stands between a post and an observation's mailbox, for observations that ask for it.
final class Flow: Sendable {
    /// When deliveries are made.
    let pacer: Pacer?
    /// How many may wait.
    let bounded: BoundedFlow?

    /// Nil when deliveries go straight to `mailbox`.
    @inline(__always)
    static func make(_ options: ObservationOptions, _ mailbox: DeliveryMailbox?) -> Flow? {
        if !options.asksForFlow, mailbox?.quota == nil { return nil }
        return Flow(options, mailbox)
    }

    private init?(_ options: ObservationOptions, _ mailbox: DeliveryMailbox?) {
        pacer = options.pace.map { Pacer($0) }
        if mailbox == nil {
            bounded = nil
        } else if let bound = options.bound {
            bounded = BoundedFlow(bound)
        } else {
            bounded = mailbox?.quota.map { BoundedFlow($0.bound, sharing: $0) }
        }
        if pacer == nil, bounded == nil { return nil }
    }

    func observationEnded() {
        pacer?.observationEnded()
        bounded?.observationEnded()
    }
}
