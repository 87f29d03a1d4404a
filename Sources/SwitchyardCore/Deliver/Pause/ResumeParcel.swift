// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Marks, in a mailbox, the end of an observation's pause: the deliveries before it were kept, and
/// those behind it come when they have been made.
final class ResumeParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let turn: PauseTurn

    init(_ turn: PauseTurn) {
        self.turn = turn
        super.init(objectIsGone: false)
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        turn.take()
        return nil
    }

    override func deliverAsync(to observation: Observation) async { await turn.takeAsync() }

    // The mailbox counts this one as a delivery, which it is not.
    override func mailboxIsEnding() -> Int { -1 }

    override func mailboxEnded(_ label: String) -> Bool {
        turn.giveUp()
        return false
    }

    override var waitsInPause: Bool { false }
    override var callsHandler: Bool { false }
}
