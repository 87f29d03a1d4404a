// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A delivery that waits for room, for as long as its post does.
final class RoomWaiter: Sendable {
    let held: BoundedParcel
    let observation: Observation
    let mailbox: SharedMailbox
    /// Whether a pace had put the delivery off: a newer such delivery replaces it.
    let wasPutOff: Bool
    /// The ticket of a post that waits for room alone (`.accepted`): it ends when this waiter is
    /// released.
    private let ticket: PostWait.Ticket?

    init(
        _ held: BoundedParcel, _ observation: Observation, _ mailbox: SharedMailbox,
        _ wait: PostWait
    ) {
        self.held = held
        self.observation = observation
        self.mailbox = mailbox
        // Room comes once the handler has returned, so the wait is also for the handler; unless the
        // handler may be called again before it returns.
        let isHeldUp = !observation.has(Observation.State.concurrent)
        let own = isHeldUp ? [observation.waitResource] : []
        ticket = wait.goal == .accepted ? PostWait.Ticket(wait, own + mailbox.waitResources) : nil
        wasPutOff = wait.goal == .nothing
    }

    /// Puts the delivery, which has room now, into the mailbox.
    func enqueue() {
        var receipt = PostReceipt()
        mailbox.enqueue(held, to: observation, &receipt)
        guard receipt.undeliverable > 0 else { return }
        ticket?.mailboxEnded(mailbox.label)
        // Reported, because nobody waits for the delivery: its post has a receipt that calls it
        // queued, or has given up the wait for its handler.
        if ticket == nil { mailbox.report(putOff: 1, of: observation) }
    }

    /// Says that the post waits for room no longer, where this waiter may never be released.
    func hasRoom() { ticket?.end() }

    /// The number of deliveries that end with the mailbox because this one waits for it: none, if
    /// it moves on.
    func mailboxIsEnding() -> Int { 1 + held.parcel.mailboxIsEnding() }

    func mailboxEnded(_ label: String) {
        if !held.parcel.mailboxEnded(label) { ticket?.mailboxEnded(label) }
    }

    /// Tells the post that the observation has ended: there will be no delivery, unless it moves
    /// on, behind those in the mailbox.
    func observationEnded() {
        if held.movesOn { return enqueue() }
        held.parcel.observationEnded()
        // A delivery that a cancellation makes is still queued.
        if held.isMadeByAnother { ticket?.end() } else { ticket?.observationEnded() }
    }
}
