// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// What one post knows while it goes from observation to observation.
struct PostState {
    /// Where a delivery is made. The observation holds the mailbox: counting references to what all
    /// posting threads share would have them wait for each other.
    enum Place {
        /// Here and now.
        case here
        /// Here and now, as this mailbox's turn.
        case inTurn(Unmanaged<DeliveryMailbox>)
        /// Later, through this mailbox.
        case mailbox(Unmanaged<DeliveryMailbox>)
    }

    /// Where this thread says which handler it is in.
    let mark: UnsafeMutablePointer<Atomic<UInt>>
    /// Whether inline deliveries are counted.
    let countsInline: Bool
    /// What waits for the deliveries elsewhere; nil for most posts.
    let wait: PostWait?
    var receipt: PostReceipt

    /// For each context the post came to, whether it delivers inline there: decided once, for all
    /// its observers. Most posts come to one context at most.
    private var first: ObjectIdentifier?
    private var firstInline = false
    private var others: [ObjectIdentifier: Bool]?
    private var parcel: AnyParcel?

    init(
        _ match: borrowing Match, _ posting: Posting, _ receipt: PostReceipt, countsInline: Bool
    ) {
        mark = match.mark
        wait = posting.wait
        self.receipt = receipt
        self.countsInline = countsInline
    }

    /// Where the delivery to `observation` is made.
    mutating func place(of observation: Observation) -> Place {
        guard let reference = observation.mailboxReference else { return .here }
        return reference._withUnsafeGuaranteedRef { mailbox in
            if observation.has(Observation.State.overtakes), mailbox.target.isCurrent {
                return .here
            }
            // A post that waited for its own thread would wait for ever.
            if wait?.goal == .handled, mailbox.isCallers { return .inTurn(reference) }
            if observation.has(Observation.State.queued) || !deliversInline(to: mailbox) {
                return .mailbox(reference)
            }
            return .inTurn(reference)
        }
    }

    private mutating func deliversInline(to mailbox: DeliveryMailbox) -> Bool {
        let id = ObjectIdentifier(mailbox)
        if first == id { return firstInline }
        if let known = others?[id] { return known }
        let inline = mailbox.deliversInline()
        if first == nil {
            first = id
            firstInline = inline
        } else {
            others = (others ?? [:]).merging([id: inline]) { $1 }
        }
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
