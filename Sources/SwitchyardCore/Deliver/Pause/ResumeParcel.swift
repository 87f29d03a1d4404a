// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Marks, in a mailbox, the end of an observation's pause: the deliveries before it were kept, and those behind
/// it come when they have been made.
final class ResumeParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let paused: PausedDeliveries
    /// Whether the deliveries that were kept are dropped.
    private let drops: Bool

    init(_ paused: PausedDeliveries, drops: Bool) {
        self.paused = paused
        self.drops = drops
        super.init(objectIsGone: false)
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        paused.takeTurn(of: observation, drops: drops)
        return nil
    }

    override func deliverAsync(to observation: Observation) async {
        await paused.takeTurnAsync(of: observation, drops: drops)
    }

    // The mailbox counts this one as a delivery, which it is not.
    override func mailboxIsEnding() -> Int { paused.count - 1 }

    override func mailboxEnded(_ label: String) -> Bool {
        paused.mailboxEnded(label)
        return false
    }

    override var waitsInPause: Bool { false }
}
