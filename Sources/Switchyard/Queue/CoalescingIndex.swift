// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// What is compared when posts are coalesced: a mask without its empty case.
enum CoalescingKey: Int {
    case name, sender, nameAndSender

    init?(_ mask: NotificationQueue.NotificationCoalescing) {
        switch (mask.contains(.onName), mask.contains(.onSender)) {
        case (true, true): self = .nameAndSender
        case (true, false): self = .name
        case (false, true): self = .sender
        case (false, false): return nil
        }
    }

    var comparesSender: Bool { self != .name }

    @inline(__always)
    func hash(_ topic: Topic, _ subject: Subject) -> UInt {
        switch self {
        case .name: topic.hash
        case .sender: subject.identity
        case .nameAndSender: topic.hash &+ subject.identity &* 0x9FB2_1C65_1E98_DF25
        }
    }
}

/// Finds the posts of one queue that have a key in common, by a hash table whose chains run through
/// the slots of ``PendingPosts``.
struct CoalescingIndex {
    private let key: CoalescingKey
    /// The first slot of each chain; a power of two of them.
    private var chains: [Int32] = Array(repeating: -1, count: 16)
    private var count = 0

    private static var keptCapacity: Int { 4096 }

    init(_ key: CoalescingKey) { self.key = key }

    @inline(__always)
    private func chain(_ topic: Topic, _ subject: Subject) -> Int {
        let spread = key.hash(topic, subject) &* 0x9E37_79B9_7F4A_7C15
        return Int(spread >> 32) & (chains.count &- 1)
    }

    @inline(__always)
    private func place(_ slot: Int32) -> Int { Int(slot) &* 3 &+ key.rawValue }

    /// Whether two keys are equal as far as can be told without the user's code.
    @inline(__always)
    private func mayMatch(_ post: QueuedPost, _ topic: Topic, _ subject: Subject) -> Bool {
        switch key {
        case .name: post.topic == topic
        case .sender: post.subject.mayEqual(subject)
        case .nameAndSender: post.subject.mayEqual(subject) && post.topic == topic
        }
    }
}

extension CoalescingIndex {
    /// Takes a slot into the index.
    ///
    /// - Complexity: O(1) amortised.
    @inline(__always)
    mutating func insert(_ slot: Int32, _ pending: inout PendingPosts) {
        if count == chains.count { grow(&pending) }
        guard let post = pending.slots[Int(slot)].post else { return }
        link(slot, into: chain(post.topic, post.subject), &pending)
        count &+= 1
    }

    @inline(__always)
    private mutating func link(_ slot: Int32, into chain: Int, _ pending: inout PendingPosts) {
        let first = chains[chain]
        pending.links[place(slot)] = PendingPosts.Link(previous: -1, next: first)
        if first >= 0 { pending.links[place(first)].previous = slot }
        chains[chain] = slot
    }

    /// Takes a slot, whose post is still there, out of the index.
    @inline(__always)
    mutating func remove(_ slot: Int32, _ pending: inout PendingPosts) {
        guard let post = pending.slots[Int(slot)].post else { return }
        let link = pending.links[place(slot)]
        if link.next >= 0 { pending.links[place(link.next)].previous = link.previous }
        if link.previous >= 0 {
            pending.links[place(link.previous)].next = link.next
        } else {
            chains[chain(post.topic, post.subject)] = link.next
        }
        count &-= 1
        if count == 0, chains.count > Self.keptCapacity { self = CoalescingIndex(key) }
    }

    private mutating func grow(_ pending: inout PendingPosts) {
        let old = chains
        chains = Array(repeating: -1, count: old.count * 2)
        for first in old {
            var slot = first
            while slot >= 0 {
                let next = pending.links[place(slot)].next
                if let post = pending.slots[Int(slot)].post {
                    link(slot, into: chain(post.topic, post.subject), &pending)
                }
                slot = next
            }
        }
    }
}

extension CoalescingIndex {
    /// A slot whose post has this topic, subject, or both; -1 when there is none.
    ///
    /// - Complexity: O(1), on average over the keys.
    @inline(__always)
    func firstMatch(
        _ topic: Topic, _ subject: Subject, _ equality: ValueEquality, _ pending: PendingPosts
    ) -> Int32 {
        let asks = subject.isValue && key.comparesSender
        var slot = chains[chain(topic, subject)]
        while slot >= 0 {
            if let post = pending.slots[Int(slot)].post, mayMatch(post, topic, subject) {
                if !asks || equality.isEqual(pending.slots[Int(slot)].sequence) { return slot }
            }
            slot = pending.links[place(slot)].next
        }
        return -1
    }

    /// The values of which only the user's `==` can say whether they equal `subject`, and it has not
    /// been asked.
    func unanswered(
        _ topic: Topic, _ subject: Subject, _ equality: ValueEquality, _ pending: PendingPosts
    ) -> [ValueEquality.Question] {
        guard subject.isValue, key.comparesSender else { return [] }
        var questions: [ValueEquality.Question] = []
        var slot = chains[chain(topic, subject)]
        while slot >= 0 {
            let sequence = pending.slots[Int(slot)].sequence
            if let post = pending.slots[Int(slot)].post, mayMatch(post, topic, subject),
                !equality.knows(sequence)
            {
                questions.append(ValueEquality.Question(sequence: sequence, value: post.subject))
            }
            slot = pending.links[place(slot)].next
        }
        return questions
    }
}

/// What the user's `==` said of the values that wait, when it was asked without the lock.
///
/// A post is known by its sequence number, which no other ever gets, so an answer holds however the
/// backlog has changed meanwhile. Only who came meanwhile has to be asked for.
struct ValueEquality {
    struct Question: Sendable {
        let sequence: UInt64
        let value: Subject
    }

    private var answers: [UInt64: Bool]?

    @inline(__always)
    func knows(_ sequence: UInt64) -> Bool { answers?[sequence] != nil }

    func isEqual(_ sequence: UInt64) -> Bool { answers?[sequence] == true }

    /// Calls the user's `==`: not under a lock.
    mutating func ask(_ questions: [Question], about subject: Subject) {
        var answers = answers ?? [:]
        for question in questions { answers[question.sequence] = question.value == subject }
        self.answers = answers
    }
}
