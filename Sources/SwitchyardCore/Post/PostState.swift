// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The state of one post while it goes from observation to observation.
struct PostState {
    /// The destination of a delivery. The observation holds the mailbox: counting references to
    /// what all posting threads share would have them wait for each other.
    enum Destination {
        /// Here and now.
        case here
        /// Here and now, as a delivery of this mailbox.
        case insideMailbox(Unmanaged<SharedMailbox>)
        /// Later, through this mailbox.
        case mailbox(Unmanaged<SharedMailbox>)
    }

    /// The hazard slot that names the observation whose handler this thread is in.
    let slot: UnsafeMutablePointer<Atomic<UInt>>
    /// Whether inline deliveries are counted.
    let countsInline: Bool
    /// The wait for the deliveries elsewhere; nil for most posts.
    let wait: PostWait?
    /// The trace of the post; nil unless somebody traces, and it is the post's turn.
    var trace: PostTrace?
    /// The follower of the deliveries; nil unless the center has one. The code that makes the post
    /// holds it.
    let followed: Unmanaged<FollowedPost>?
    /// Whether the fate of each delivery is asked for, by a waiting poster, a trace or a follower.
    let tracksDeliveries: Bool
    /// Whether there is more to an inline delivery than to make it.
    let isWatched: Bool
    var receipt: PostReceipt
    /// Whether a handler has run inline for a delivery that the wait counts, and the receipt does
    /// not.
    var isHeardInWait = false
    /// Whether such a delivery was lost.
    var isLostInWait = false
    /// The state of deliveries to groups; nil for most posts.
    var groups: GroupChoices?
    /// Whether the compiler has seen that the post is made on the main actor.
    private let isOnMainActor: Bool

    /// The first mailbox that the post came to, and whether the mailbox delivers inline, decided
    /// once for all observers of it. ``others`` has further mailboxes; most posts come to one at
    /// most.
    private var first: ObjectIdentifier?
    private var firstInline = false
    private var others: [ObjectIdentifier: Bool]?
    /// The parcel that the deliveries share; nil until one of them needs it.
    var parcel: AnyParcel?
    /// The parcel without the object, for handlers that do not need that.
    var parcelWithoutObject: AnyParcel?

    init(
        _ match: borrowing Match, _ posting: Posting, _ receipt: PostReceipt,
        countsInline: Bool = false,
        trace: PostTrace? = nil, followed: FollowedPost? = nil
    ) {
        slot = match.slot
        wait = posting.wait
        isOnMainActor = posting.isOnMainActor
        self.receipt = receipt
        self.countsInline = countsInline
        self.trace = trace
        self.followed = followed.map { .passUnretained($0) }
        tracksDeliveries = posting.wait != nil || trace != nil || followed != nil
        isWatched = tracksDeliveries || countsInline
    }

    /// Returns the destination of the delivery to `observation`.
    mutating func destination(of observation: Observation) -> Destination {
        guard let reference = observation.mailboxReference else { return .here }
        return reference._withUnsafeGuaranteedRef { mailbox in
            if observation.has(Observation.State.overtakes),
                isOnMainActor || mailbox.target.isCurrent
            {
                return .insideMailbox(reference)
            }
            // A post that waited for its own thread would wait for ever.
            if let wait, wait.goal == .handled, wait.holdsCaller, mailbox.isHeldByCaller {
                return .insideMailbox(reference)
            }
            if observation.has(Observation.State.queued) || !deliversInline(to: mailbox) {
                return .mailbox(reference)
            }
            return .insideMailbox(reference)
        }
    }

    private mutating func deliversInline(to mailbox: SharedMailbox) -> Bool {
        let id = ObjectIdentifier(mailbox)
        if first == id { return firstInline }
        if let known = others?[id] { return known }
        let inline = mailbox.deliversInline()
        if first == nil {
            first = id
            firstInline = inline
        } else if others == nil {
            others = [id: inline]
        } else {
            // In place: a post may come to as many mailboxes as it has observers.
            others?[id] = inline
        }
        return inline
    }
}
