// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// All that waits in the queues of one thread, and in what order. Guard: the backlog's lock, so
/// nothing here may be the user's code: what is removed is handed out.
struct BacklogState: @unchecked Sendable {
    // Sendable: as ``QueuedPost``.

    typealias Style = NotificationQueue.PostingStyle

    /// One queue of the thread, or what a queue that has gone left waiting.
    struct Book {
        /// Nil: the book is free.
        var center: NotificationCenter?
        var isOpen = true
        var count = 0
        var byName: CoalescingIndex?
        var bySender: CoalescingIndex?
        var byBoth: CoalescingIndex?
    }

    /// Nil when the thread has ended.
    var hooks: RunLoopHooks?
    var pending = PendingPosts()
    var books: [Book] = []
    /// The first two are those of the default mode.
    var lanes: [Lane] = [Lane(.asap, .default), Lane(.whenIdle, .default)]
    var lastSequence: UInt64 = 0
    var lastArming: UInt64 = 0
    /// How many drains are under way, one inside the other, and the last arming before the last of
    /// them began.
    var drains = 0
    var armingBeforeDrain: UInt64 = 0
    var nextReport = Self.highWaterMark

    /// How many waiting posts are reported, and again at each doubling.
    static var highWaterMark: Int { 100_000 }

    init(_ hooks: RunLoopHooks) { self.hooks = hooks }
}

// MARK: - Queues

extension BacklogState {
    mutating func openBook(_ center: NotificationCenter) -> Int {
        let book = Book(center: center)
        if let free = books.firstIndex(where: { $0.center == nil }) {
            books[free] = book
            return free
        }
        books.append(book)
        return books.count - 1
    }

    /// The queue has gone: what it left is still posted. Gives back the center to let go, if that
    /// was all.
    mutating func closeBook(_ book: Int) -> NotificationCenter? {
        books[book].isOpen = false
        return releasedCenter(book)
    }

    private mutating func releasedCenter(_ book: Int) -> NotificationCenter? {
        guard !books[book].isOpen, books[book].count == 0 else { return nil }
        return books[book].center.take()
    }
}

// MARK: - Enqueuing and removing

extension BacklogState {
    /// The lane of some modes; nil: the default mode.
    mutating func lane(_ style: Style, _ modes: Set<RunLoop.Mode>?) -> Int {
        guard let modes else { return style == .asap ? 0 : 1 }
        for index in lanes.indices.dropFirst(2)
        where lanes[index].style == style && lanes[index].modes.modes == modes {
            return index
        }
        let lane = Lane(style, RunLoopModes(modes))
        // A program has few sets of modes. One that makes them up gets used lanes again; what the
        // run loop still calls for them finds another arming.
        if lanes.count >= 32, let free = lanes.indices.dropFirst(2).first(where: { lanes[$0].isEmpty }) {
            lanes[free] = lane
            return free
        }
        lanes.append(lane)
        return lanes.count - 1
    }

    /// Puts a post behind the others of its style and modes. The arming, if the loop has to be told.
    @inline(__always)
    mutating func append(_ post: consuming QueuedPost, to lane: Int) -> Arming? {
        let book = post.book
        lastSequence &+= 1
        let last = lanes[lane].last
        let slot = pending.insert(post, lane: lane, after: last, sequence: lastSequence)
        lanes[lane].last = slot
        if last >= 0 {
            pending.slots[Int(last)].link.next = slot
        } else {
            lanes[lane].first = slot
        }
        books[book].count &+= 1
        books[book].byName?.insert(slot, &pending)
        books[book].bySender?.insert(slot, &pending)
        books[book].byBoth?.insert(slot, &pending)
        let arming = lanes[lane].arming
        if arming != 0 {
            // What a handler enqueues runs in the next pass: not by a call that the loop has
            // collected for this one already.
            let isOld = drains > 0 && last < 0 && arming <= armingBeforeDrain
            if !isOld { return nil }
        }
        return arm(lane)
    }

    /// Takes a slot out of its lane and its queue's indices.
    @inline(__always)
    mutating func remove(_ slot: Int32) -> QueuedPost? {
        guard let book = pending.slots[Int(slot)].post?.book else { return nil }
        let lane = pending.slots[Int(slot)].lane
        let link = pending.slots[Int(slot)].link
        if link.previous >= 0 {
            pending.slots[Int(link.previous)].link.next = link.next
        } else {
            lanes[lane].first = link.next
        }
        if link.next >= 0 {
            pending.slots[Int(link.next)].link.previous = link.previous
        } else {
            lanes[lane].last = link.previous
        }
        books[book].count &-= 1
        books[book].byName?.remove(slot, &pending)
        books[book].bySender?.remove(slot, &pending)
        books[book].byBoth?.remove(slot, &pending)
        return pending.remove(slot)
    }

    mutating func arm(_ lane: Int) -> Arming? {
        guard let hooks else { return nil }
        lastArming &+= 1
        lanes[lane].arming = lastArming
        return Arming(
            lane: lane, number: lastArming, style: lanes[lane].style, modes: lanes[lane].modes,
            hooks: hooks)
    }
}

// MARK: - Coalescing

extension BacklogState {
    /// Puts a post behind the others, after what its key finds has been removed.
    @inline(__always)
    mutating func enqueue(_ request: inout EnqueueRequest) -> EnqueueOutcome {
        if hooks == nil { return .ended }
        if let key = request.key {
            let (topic, subject, book) = (request.topic, request.subject, request.book)
            if request.keepsFirst {
                switch find(key, topic, subject, in: book, request.equality) {
                case .nothing: break
                case .slot: return .done
                case .ask(let questions): return .ask(questions)
                }
            } else if let questions = removeAll(
                key, topic, subject, of: book, request.equality, &request.discarded)
            {
                return .ask(questions)
            }
        }
        guard let post = request.post.take() else { return .done }
        let arming = append(post, to: lane(request.style, request.modes))
        if pending.count >= nextReport {
            nextReport *= 2
            return .report(arming, waiting: pending.count)
        }
        return arming.map { .arm($0) } ?? .done
    }

    /// Removes all that a queue has of a key; or the questions that have to be answered first.
    @inline(__always)
    mutating func removeAll(
        _ key: CoalescingKey, _ topic: Topic, _ subject: Subject, of book: Int,
        _ equality: ValueEquality, _ discarded: inout DiscardedPosts
    ) -> [ValueEquality.Question]? {
        while true {
            switch find(key, topic, subject, in: book, equality) {
            case .nothing: return nil
            case .slot(let slot): discarded.add(remove(slot))
            case .ask(let questions): return questions
            }
        }
    }

    /// What of a queue a key matches: nothing, a slot, or a question to the user's `==`.
    enum Found {
        case nothing
        case slot(Int32)
        case ask([ValueEquality.Question])
    }

    /// Finds a post of a queue by its key.
    @inline(__always)
    mutating func find(
        _ key: CoalescingKey, _ topic: Topic, _ subject: Subject, in book: Int,
        _ equality: ValueEquality
    ) -> Found {
        buildIndex(key, of: book)
        if books[book].count == 0 { return .nothing }
        switch key {
        case .name: return find(topic, subject, equality, books[book].byName)
        case .sender: return find(topic, subject, equality, books[book].bySender)
        case .nameAndSender: return find(topic, subject, equality, books[book].byBoth)
        }
    }

    @inline(__always)
    private func find(
        _ topic: Topic, _ subject: Subject, _ equality: ValueEquality, _ index: CoalescingIndex?
    ) -> Found {
        guard let index else { return .nothing }
        if subject.isValue {
            let questions = index.unanswered(topic, subject, equality, pending)
            if !questions.isEmpty { return .ask(questions) }
        }
        let slot = index.firstMatch(topic, subject, equality, pending)
        return slot >= 0 ? .slot(slot) : .nothing
    }

    /// Makes the index of a key when a queue first asks for it.
    @inline(__always)
    private mutating func buildIndex(_ key: CoalescingKey, of book: Int) {
        let isBuilt =
            switch key {
            case .name: books[book].byName != nil
            case .sender: books[book].bySender != nil
            case .nameAndSender: books[book].byBoth != nil
            }
        if !isBuilt { makeIndex(key, of: book) }
    }

    @inline(never)
    private mutating func makeIndex(_ key: CoalescingKey, of book: Int) {
        pending.prepareLinks()
        var index = CoalescingIndex(key)
        for slot in pending.slots.indices where pending.slots[slot].post?.book == book {
            index.insert(Int32(slot), &pending)
        }
        switch key {
        case .name: books[book].byName = index
        case .sender: books[book].bySender = index
        case .nameAndSender: books[book].byBoth = index
        }
    }
}

// MARK: - Draining

extension BacklogState {
    /// A post on its way out.
    struct Taken {
        let post: QueuedPost
        let center: NotificationCenter
    }

    /// Begins a drain of the lanes that a mode is in.
    mutating func beginDrain(
        _ style: Style, _ mode: RunLoop.Mode, isCommon: (RunLoop.Mode) -> Bool
    ) -> Drain? {
        var drain = Drain(limit: lastSequence)
        for index in lanes.indices where lanes[index].style == style && !lanes[index].isEmpty {
            guard lanes[index].modes.contains(mode, isCommon: isCommon(mode)) else { continue }
            lanes[index].arming = 0
            drain.add(lane: index)
        }
        if drain.onlyLane < 0, drain.lanes.isEmpty { return nil }
        drains += 1
        armingBeforeDrain = lastArming
        return drain
    }

    /// Has the loop called again for the lanes of a drain that are not empty: for a run loop inside
    /// a handler, and for what comes meanwhile.
    mutating func armAgain(_ drain: Drain) -> [Arming] {
        if drain.onlyLane >= 0 {
            if lanes[drain.onlyLane].isEmpty { return [] }
            return arm(drain.onlyLane).map { [$0] } ?? []
        }
        return drain.lanes.compactMap { lanes[$0].isEmpty ? nil : arm($0) }
    }

    /// The next post of a drain, first in, first out over its lanes; nil ends the drain.
    mutating func next(_ drain: Drain) -> Taken? {
        var first: Int32 = -1
        var sequence = UInt64.max
        if drain.onlyLane >= 0 {
            first = lanes[drain.onlyLane].first
            if first >= 0 { sequence = pending.slots[Int(first)].sequence }
        } else {
            for lane in drain.lanes where !lanes[lane].isEmpty {
                let candidate = lanes[lane].first
                if pending.slots[Int(candidate)].sequence < sequence {
                    first = candidate
                    sequence = pending.slots[Int(candidate)].sequence
                }
            }
        }
        guard first >= 0, sequence <= drain.limit, let taken = take(first) else {
            drains -= 1
            return nil
        }
        return taken
    }

    private mutating func take(_ slot: Int32) -> Taken? {
        guard let post = remove(slot) else { return nil }
        if pending.count == 0 {
            pending.trim()
            nextReport = Self.highWaterMark
        }
        guard let center = books[post.book].center else { return nil }
        // Let go by the caller: it holds the center as well.
        _ = releasedCenter(post.book)
        return Taken(post: post, center: center)
    }

    func hasPosts(_ style: Style) -> Bool {
        lanes.contains { $0.style == style && !$0.isEmpty }
    }
}

// MARK: - The end

extension BacklogState {
    /// Everything that waits, in order. Nothing is taken out.
    var waiting: [(center: NotificationCenter, topic: Topic)] {
        let slots = pending.slots.filter { $0.post != nil }.sorted { $0.sequence < $1.sequence }
        return slots.compactMap { slot in
            guard let post = slot.post, let center = books[post.book].center else { return nil }
            return (center, post.topic)
        }
    }

    /// Ends the backlog; what it held is the caller's to let go of.
    mutating func end() -> BacklogState {
        let before = self
        pending = PendingPosts()
        lanes = [Lane(.asap, .default), Lane(.whenIdle, .default)]
        hooks = nil
        for book in books.indices {
            books[book].count = 0
            books[book].byName = nil
            books[book].bySender = nil
            books[book].byBoth = nil
            _ = releasedCenter(book)
        }
        return before
    }
}
