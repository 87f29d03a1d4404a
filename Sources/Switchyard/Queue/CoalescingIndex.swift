// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The key by which posts are coalesced: the queue in which they wait, and the properties that the
/// mask names.
struct CoalescingKey: ~Copyable {
    enum Parts {
        case nothing, name, sender, nameAndSender
    }

    let parts: Parts
    let topic: Topic
    let subject: Subject
    let queueID: Int32

    @inline(__always)
    init(_ parts: Parts, _ topic: Topic, _ subject: Subject, _ queueID: Int32) {
        self.parts = parts
        self.topic = topic
        self.subject = subject
        self.queueID = queueID
    }

    /// Whether it can match anything.
    @inline(__always)
    var matches: Bool { parts != .nothing }

    /// Whether only the user's `==` can tell what equals it.
    @inline(__always)
    var asks: Bool { parts != .name && subject.isValue }

    @inline(__always)
    var hash: UInt { parts.hash(topic.hash, subject.identity, queueID) }

    /// Whether a post has this key, as far as can be told without the user's code.
    @inline(__always)
    func mayMatch(_ slot: Int32, _ pending: borrowing PendingPosts) -> Bool {
        guard pending.slots[Int(slot)].queueID == queueID else { return false }
        if parts != .sender {
            guard pending.slots[Int(slot)].topicHash == topic.hash else { return false }
            guard pending.posts[Int(slot)].has(topic) else { return false }
        }
        return parts == .name || pending.posts[Int(slot)].subject.mayEqual(subject)
    }
}

extension CoalescingKey {
    /// Whether a post has the same queue, topic and subject, whatever the mask.
    @inline(__always)
    func isExactly(_ slot: Int32, _ pending: borrowing PendingPosts) -> Bool {
        pending.slots[Int(slot)].queueID == queueID
            && pending.slots[Int(slot)].topicHash == topic.hash
            && pending.posts[Int(slot)].subject.mayEqual(subject)
            && pending.posts[Int(slot)].has(topic)
    }
}

extension CoalescingKey.Parts {
    @inline(__always)
    func hash(_ topic: UInt, _ subject: UInt, _ queueID: Int32) -> UInt {
        let name = self == .sender ? 0 : topic
        let sender = self == .name ? 0 : subject &* 0x9FB2_1C65_1E98_DF25
        return (name &+ sender &+ UInt(bitPattern: Int(queueID))) &* 0x9E37_79B9_7F4A_7C15
    }

    @inline(__always)
    func hash(_ slot: PendingPosts.Slot) -> UInt {
        hash(slot.topicHash, slot.subjectHash, slot.queueID)
    }
}

/// Finds posts by a key, in a hash table whose chains run through the slots of ``PendingPosts``.
struct CoalescingIndex: ~Copyable {
    private let parts: CoalescingKey.Parts
    /// The first slot of each chain; a power of two of them, none before the index is built.
    private var chains: [Int32] = []
    private var count = 0

    private static var keptCapacity: Int { 4096 }
    private static var noChains: [Int32] { Array(repeating: -1, count: 16) }

    init(_ parts: CoalescingKey.Parts) { self.parts = parts }

    @inline(__always)
    var isBuilt: Bool { !chains.isEmpty }

    @inline(__always)
    private func chain(_ hash: UInt) -> Int { Int(hash >> 32) & (chains.count &- 1) }

    /// A slot's neighbours in this index.
    @inline(__always)
    private func link(_ slot: Int32, _ pending: borrowing PendingPosts) -> PendingPosts.Link {
        switch parts {
        case .name: pending.slots[Int(slot)].byName
        case .sender: pending.slots[Int(slot)].bySender
        case .nameAndSender, .nothing: pending.slots[Int(slot)].byBoth
        }
    }

    @inline(__always)
    private func set(_ link: PendingPosts.Link, _ slot: Int32, _ pending: inout PendingPosts) {
        switch parts {
        case .name: pending.slots[Int(slot)].byName = link
        case .sender: pending.slots[Int(slot)].bySender = link
        case .nameAndSender, .nothing: pending.slots[Int(slot)].byBoth = link
        }
    }
}

extension CoalescingIndex {
    /// Makes the index, when its key is first asked for.
    @inline(never)
    mutating func build(_ pending: inout PendingPosts) {
        chains = Self.noChains
        for slot in pending.slots.indices where pending.slots[slot].sequence != 0 {
            insert(Int32(slot), &pending)
        }
    }

    /// Takes a slot into the index, if that is built.
    ///
    /// - Complexity: O(1) amortised.
    @inline(__always)
    mutating func insert(_ slot: Int32, _ pending: inout PendingPosts) {
        guard isBuilt else { return }
        if count == chains.count { grow(&pending) }
        count &+= 1
        put(slot, &pending)
    }

    @inline(__always)
    private mutating func put(_ slot: Int32, _ pending: inout PendingPosts) {
        let chain = chain(parts.hash(pending.slots[Int(slot)]))
        let first = chains[chain]
        set(PendingPosts.Link(previous: -1, next: first), slot, &pending)
        if first >= 0 {
            let next = link(first, pending).next
            set(PendingPosts.Link(previous: slot, next: next), first, &pending)
        }
        chains[chain] = slot
    }

    /// Takes a slot out of the index, if that is built.
    @inline(__always)
    mutating func remove(_ slot: Int32, _ pending: inout PendingPosts) {
        guard isBuilt else { return }
        let (previous, next) = (link(slot, pending).previous, link(slot, pending).next)
        if next >= 0 {
            let after = link(next, pending).next
            set(PendingPosts.Link(previous: previous, next: after), next, &pending)
        }
        if previous >= 0 {
            let before = link(previous, pending).previous
            set(PendingPosts.Link(previous: before, next: next), previous, &pending)
        } else {
            chains[chain(parts.hash(pending.slots[Int(slot)]))] = next
        }
        count &-= 1
        if count == 0, chains.count > Self.keptCapacity { chains = Self.noChains }
    }

    @inline(never)
    private mutating func grow(_ pending: inout PendingPosts) {
        let old = chains
        chains = Array(repeating: -1, count: old.count * 2)
        for first in old {
            var slot = first
            while slot >= 0 {
                let next = link(slot, pending).next
                put(slot, &pending)
                slot = next
            }
        }
    }
}

extension CoalescingIndex {
    /// The result of a search for a key: nothing, a slot, or questions that only the user's `==`
    /// answers.
    enum Found {
        case nothing
        case slot(Int32)
        case ask([ValueEquality.Question])
    }

    /// Finds a slot whose post has the key.
    ///
    /// - Complexity: O(1), on average over the keys.
    @inline(__always)
    func find(
        _ key: borrowing CoalescingKey, _ equality: ValueEquality,
        _ pending: borrowing PendingPosts, except: Int32
    ) -> Found {
        let asks = key.asks
        if asks {
            let questions = unanswered(key, equality, pending)
            if !questions.isEmpty { return .ask(questions) }
        }
        var slot = chains[chain(key.hash)]
        while slot >= 0 {
            if slot != except, key.mayMatch(slot, pending),
                !asks || equality.isEqual(pending.slots[Int(slot)].sequence)
            {
                return .slot(slot)
            }
            slot = link(slot, pending).next
        }
        return .nothing
    }

    /// The values of which only the user's `==` can say whether they equal the key's, and it has
    /// not been asked.
    @inline(never)
    private func unanswered(
        _ key: borrowing CoalescingKey, _ equality: ValueEquality, _ pending: borrowing PendingPosts
    ) -> [ValueEquality.Question] {
        var questions: [ValueEquality.Question] = []
        var slot = chains[chain(key.hash)]
        while slot >= 0 {
            let sequence = pending.slots[Int(slot)].sequence
            if !equality.knows(sequence), key.mayMatch(slot, pending) {
                let value = pending.posts[Int(slot)].subject
                questions.append(ValueEquality.Question(sequence: sequence, value: value))
            }
            slot = link(slot, pending).next
        }
        return questions
    }
}
