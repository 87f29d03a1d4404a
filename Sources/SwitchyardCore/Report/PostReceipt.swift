// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post's result: the numbers of deliveries that it made, queued, dropped or could not make.
public struct PostReceipt: Sendable, Hashable {
    /// Handlers that ran before the post returned.
    public package(set) var delivered: Int {
        get { Int(counts.delivered) }
        set { counts.delivered = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Deliveries that wait: in a mailbox, for the end of a pause, or for their pace, by which
    /// another post may take their place.
    public package(set) var queued: Int {
        get { Int(counts.queued) }
        set { counts.queued = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Deliveries that were lost because of this post, which came to an observer's bound or the
    /// limit of a stream: this one or an older one. A post that waits also counts those of its own
    /// deliveries that gave way to later posts, which count them too, and those that a pace put off
    /// and a bound then refused or dropped.
    public package(set) var dropped: Int {
        get { Int(counts.dropped) }
        set { counts.dropped = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Deliveries that were not made because the observer's bound refused them.
    public package(set) var refused: Int {
        get { Int(counts.refused) }
        set { counts.refused = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Deliveries to a thread or loop that has ended.
    public package(set) var undeliverable: Int {
        get { Int(counts.undeliverable) }
        set { counts.undeliverable = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Observers that had died.
    public package(set) var expired: Int {
        get { Int(counts.expired) }
        set { counts.expired = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Deliveries that were not made because the post does not fulfil the observer's condition
    /// (``ObservationOptions/where(_:)-swift.method``).
    public package(set) var filtered: Int {
        get { Int(counts.filtered) }
        set { counts.filtered = UInt32(truncatingIfNeeded: newValue) }
    }
    /// Whether the object's deinit had begun, so that queued deliveries carry no object.
    public package(set) var objectIsGone = false

    /// Whether a handler has consumed the post, so that observers behind it did not hear it.
    public package(set) var isConsumed = false

    /// Whether nobody heard the post, nor lost it, nor refused it.
    package var hasNobody: Bool { delivered + queued + dropped + refused + filtered == 0 }

    /// Adds the counts of another part of the same post.
    package mutating func add(_ other: PostReceipt) {
        delivered += other.delivered
        queued += other.queued
        dropped += other.dropped
        refused += other.refused
        undeliverable += other.undeliverable
        expired += other.expired
        filtered += other.filtered
        objectIsGone = objectIsGone || other.objectIsGone
        isConsumed = isConsumed || other.isConsumed
    }

    /// Returns the receipt with so many more deliveries. In one call, because other modules call an
    /// accessor of each count.
    package func adding(queued: Int, dropped: Int) -> PostReceipt {
        var sum = self
        sum.counts.queued &+= UInt32(truncatingIfNeeded: queued)
        sum.counts.dropped &+= UInt32(truncatingIfNeeded: dropped)
        return sum
    }

    /// The counts, in so few bits that a receipt is returned in registers, and not through memory.
    private struct Counts: Hashable {
        var delivered: UInt32 = 0
        var queued: UInt32 = 0
        var dropped: UInt32 = 0
        var refused: UInt32 = 0
        var undeliverable: UInt32 = 0
        var expired: UInt32 = 0
        var filtered: UInt32 = 0
    }

    private var counts = Counts()

    package init() {}

    /// The receipt of a post that met plain observations only.
    @inline(__always)
    init(delivered: Int) { self.delivered = delivered }

    @inline(__always)
    init(queued: Int) { self.queued = queued }

    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: delivered &+= 1
        case .consumed:
            delivered &+= 1
            isConsumed = true
        case .displaced:
            delivered &+= 1
            dropped &+= 1
        case .dropped: dropped &+= 1
        case .queued: queued &+= 1
        case .expired: expired &+= 1
        case .undeliverable: undeliverable &+= 1
        case .tooLate, .uncounted: break
        }
    }

    /// Whether nobody was reached, now or later.
    public var reachedNobody: Bool { delivered == 0 && queued == 0 }
}

extension PostReceipt: CustomStringConvertible {
    /// The counts that are not zero, as in `2 delivered, 1 queued`.
    public var description: String {
        let counts = [
            (delivered, "delivered"), (queued, "queued"), (dropped, "dropped"),
            (refused, "refused"), (undeliverable, "undeliverable"), (expired, "expired"),
            (filtered, "filtered"),
        ]
        var words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if words.isEmpty { words = ["nobody heard it"] }
        if isConsumed { words.append("consumed") }
        if objectIsGone { words.append("its object is gone") }
        return words.joined(separator: ", ")
    }
}
