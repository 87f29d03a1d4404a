// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Marks, in a mailbox, the place behind which an observation ends, because its object has died:
/// the deliveries before it were posted while the object lived.
final class EndParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let observation: Observation

    init(of observation: Observation) {
        self.observation = observation
        super.init(objectIsGone: false)
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        observation.owner.endBehindMail(observation)
        return nil
    }

    override func deliverAsync(to observation: Observation) async {
        observation.owner.endBehindMail(observation)
    }

    // The mailbox counts this one as a delivery, which it is not.
    override func mailboxIsEnding() -> Int { -1 }

    override func mailboxEnded(_ label: String) -> Bool {
        observation.owner.endBehindMail(observation)
        return false
    }

    override var waitsInPause: Bool { false }
    override var callsHandler: Bool { false }
    override var endsRegistration: Bool { true }
}

extension Observation {
    /// Notes that the observation ends behind its mail; true for the one caller who did.
    func markEnding() -> Bool {
        state.bitwiseOr(State.ending, ordering: .relaxed).oldValue & State.ending == 0
    }

    /// Notes that the observation does not end behind its mail after all.
    func markGoingOn() { state.bitwiseAnd(~State.ending, ordering: .relaxed) }

    /// Ends the observation behind the deliveries that wait in its mailbox; at once, if none does.
    /// Calls that overlap may have left the mailbox, and not have begun.
    func endBehindMail() {
        guard let mailbox, has(State.concurrent) || mailbox.holdsMail,
            mailbox.enqueueEnd(of: self)
        else {
            return owner.endBehindMail(self)
        }
    }
}

extension SharedMailbox {
    /// Whether deliveries wait, or a drain may have one in hand.
    var holdsMail: Bool {
        outbox.withLock { outbox in
            outbox.depth > 0 || !outbox.entries.isEmpty
                || inbox.withLock { !$0.entries.isEmpty }
        }
    }

    /// Puts the end of an observation behind the waiting deliveries.
    ///
    /// - Returns: False if the mailbox has ended.
    fileprivate func enqueueEnd(of observation: Observation) -> Bool {
        let entry = MailEntry(.passUnretained(observation), EndParcel(of: observation))
        if enqueue(for: observation, { $0.addWatched(entry) }) { return true }
        entry.discard()
        return false
    }
}
