// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One event of a traced post, as it stands in a ``TraceRing``: 32 bytes.
package struct TraceEvent: Equatable, Sendable {
    /// The kind of an event.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A post began. `subject` is its topic, `detail` the number of its call site.
        case posted = 1
        /// The post was made inside a handler; `subject` is the post that the handler was called
        /// for.
        case within = 2
        /// A handler ran on the posting thread and has returned. `detail` is the time it took.
        case called = 3
        /// A delivery was put into its context's mailbox.
        case queued = 4
        /// A handler ran through a mailbox and has returned. `detail` is the time it took.
        case delivered = 5
        /// The observation's pace put a delivery off.
        case putOff = 6
        /// A delivery was dropped when it was posted, because too many waited.
        case dropped = 7
        /// A delivery was refused when it was posted.
        case refused = 8
        /// A delivery that waited gave way to another, or found no room when its pace let it
        /// through.
        case replaced = 9
        /// A delivery came to nothing because its context has ended.
        case undeliverable = 10
        /// A delivery came to nothing because its observer object has died.
        case expired = 11
        /// A delivery came to nothing because its observation had ended.
        case cancelled = 12
        /// The post was heard by nobody.
        case unheard = 13
        /// The ring belongs to another thread from here on; `subject` is the system's number of it,
        /// and `post` that of the thread before it, or 0.
        case thread = 14
        /// The post was sent to another process; see ``TracePassage``.
        case sent = 15
        /// The post came from another process; see ``TracePassage``.
        case received = 16
        /// The observation's condition turned the post away.
        case filtered = 17
        /// The handler consumed the post: observers behind it did not hear it. Comes after
        /// ``called``.
        case consumed = 18
        /// A post for a queue was coalesced with one or more that wait there: of all, one is made,
        /// which is a post of its own. `subject` is the topic of the one that was enqueued last,
        /// `detail` the number of its call site. Beside ``within``, there is no other event.
        case coalesced = 19
        /// An observation was registered, and has the id `subject` from here on; an earlier one that
        /// had it has ended. `detail` is the lower half of its rank in the order of registration.
        /// Belongs to no post, and is written down however few posts are traced.
        case registered = 20
        /// The time came for which a pace had put a delivery off, or the pause ended that kept it: it
        /// waits for its handler from here on, not from ``queued``.
        case due = 21
    }

    package let kind: Kind
    /// When it happened, or ended; see ``TraceClock``.
    package let ticks: UInt64
    /// The post that it belongs to; unique in the process.
    package let post: UInt64
    /// An ``InspectedRegistration/id``, unless the kind says otherwise.
    package let subject: UInt64
    package let detail: UInt32
    /// The number of posts that this one stands for, with itself: those that the threads of its ring
    /// have made since the last one whose turn it was. More than one if posts are sampled, none if
    /// it is traced for the sake of another process. A post inside the handler of a traced post is
    /// traced in any case, and stands for itself. So the weights of all posts add up to about their
    /// number. In ``Kind/posted`` and ``Kind/coalesced``; in ``Kind/delivered``, 1 says that the
    /// handler is async.
    package let weight: UInt16

    package init(
        _ kind: Kind, ticks: UInt64, post: UInt64, subject: UInt64 = 0, detail: UInt32 = 0,
        weight: UInt16 = 0
    ) {
        self.kind = kind
        self.ticks = ticks
        self.post = post
        self.subject = subject
        self.detail = detail
        self.weight = weight
    }

    /// The number of the call site, if the event has one.
    package var site: UInt32? { kind == .posted || kind == .coalesced ? detail : nil }

    /// Whether the event is the call of an async handler, made in a task: perhaps on several
    /// threads, and beside others.
    package var isAsyncCall: Bool { kind == .delivered && weight != 0 }

    /// The event as it stands in a ring: ticks, post, subject, and the rest in one word.
    package var words: [UInt64] { [ticks, post, subject, summary] }

    /// An event from its ``words``; nil if none was written there.
    package init?(words: [UInt64]) {
        guard words.count == 4 else { return nil }
        self.init(words[0], words[1], words[2], words[3])
    }

    /// The kind, weight and detail in one word.
    var summary: UInt64 { Self.summary(kind, weight: weight) | UInt64(detail) << 32 }

    /// The kind and weight of an event without a detail, in one word.
    @inline(__always)
    static func summary(_ kind: Kind, weight: UInt16 = 0) -> UInt64 {
        UInt64(kind.rawValue) | UInt64(weight) << 16
    }

    /// The kind of an event, in one word with its detail, which is the time between two readings of
    /// the clock.
    @inline(__always)
    static func summary(
        _ kind: Kind, weight: UInt16 = 0, since begin: UInt64, until end: UInt64
    ) -> UInt64 {
        summary(kind, weight: weight) | UInt64(TraceClock.detail(since: begin, until: end)) << 32
    }

    /// An event from its words; nil if none was written there.
    init?(_ ticks: UInt64, _ post: UInt64, _ subject: UInt64, _ summary: UInt64) {
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: summary)) else { return nil }
        self.init(
            kind, ticks: ticks, post: post, subject: subject,
            detail: UInt32(truncatingIfNeeded: summary >> 32),
            weight: UInt16(truncatingIfNeeded: summary >> 16))
    }
}
