// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// What one post knows while it goes from observation to observation.
struct PostState {
    /// Where this thread says which handler it is in.
    let mark: UnsafeMutablePointer<Atomic<UInt>>
    /// Whether inline deliveries are counted.
    let countsInline: Bool
    var receipt = PostReceipt()

    /// For each context the post came to, whether it delivers inline there: decided once, for all
    /// its observers.
    private var decisions: [(mailbox: ObjectIdentifier, inline: Bool)] = []
    private var parcel: AnyParcel?

    @inline(__always)
    init(_ match: borrowing Match, countsInline: Bool) {
        mark = match.record.pointee.words + match.base
        self.countsInline = countsInline
    }

    /// Whether this delivery is made here and now.
    mutating func isInline(_ observation: Observation, _ mailbox: DeliveryMailbox) -> Bool {
        if observation.options.overtakes, mailbox.target.isCurrent { return true }
        return !observation.options.queued && deliversInline(to: mailbox)
    }

    private mutating func deliversInline(to mailbox: DeliveryMailbox) -> Bool {
        let id = ObjectIdentifier(mailbox)
        for decision in decisions where decision.mailbox == id { return decision.inline }
        let inline = mailbox.deliversInline()
        decisions.append((id, inline))
        return inline
    }

    /// The payload for mailboxes: made once for each post.
    mutating func parcel(_ make: () -> AnyParcel) -> AnyParcel {
        if let parcel { return parcel }
        let made = make()
        parcel = made
        receipt.objectIsGone = made.objectIsGone
        return made
    }
}
