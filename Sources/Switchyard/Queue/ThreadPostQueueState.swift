// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The posts that wait in the queues of one thread, in their order. Guard: the post queue's lock,
/// so nothing here may be the user's code: removed entries are handed out.
struct ThreadPostQueueState: ~Copyable, @unchecked Sendable {
    // Sendable: as ``QueuedPost``.

    /// Nil when the thread has ended.
    private(set) var hooks: RunLoopHooks?
    private(set) var pending = PendingPosts()
    var queues = QueueTable()
    /// The first two are those of the default mode.
    var lanes: [Lane] = [Lane(.asap), Lane(.whenIdle)]
    var modes: [RunLoopModes] = [.default, .default]
    /// The lanes of other modes, by style and modes.
    private var lanesOfModes: [LaneKey: Int] = [:]
    /// The lane at which the next search for one to use again begins.
    private var nextLook = 2
    private var byName = CoalescingIndex(.name)
    private var bySender = CoalescingIndex(.sender)
    private var byBoth = CoalescingIndex(.nameAndSender)
    private(set) var lastSequence: UInt64 = 0
    /// The call that drains each lane next.
    var requests = DrainRequests()
    /// Whether the main queue drains as well: that of the main thread.
    private let isMain: Bool
    private var nextReport = Self.highWaterMark

    /// The number of waiting posts that is reported, and again at each doubling.
    private static var highWaterMark: Int { 100_000 }

    init(_ hooks: RunLoopHooks, isMain: Bool) {
        self.hooks = hooks
        self.isMain = isMain
    }

    /// Ends the post queue. On return `waited` has the posts that waited, for the caller to
    /// release.
    mutating func end(_ waited: inout PendingPosts) {
        hooks = nil
        swap(&pending, &waited)
        queues.clear()
        lanes = [Lane(.asap), Lane(.whenIdle)]
        requests = DrainRequests()
        modes = [.default, .default]
        lanesOfModes = [:]
        nextLook = 2
        byName = CoalescingIndex(.name)
        bySender = CoalescingIndex(.sender)
        byBoth = CoalescingIndex(.nameAndSender)
    }

    /// The number of posts numbered up to `last` that wait for one of `modes`.
    func waiting(in modes: Set<RunLoop.Mode>, upTo last: UInt64) -> Int {
        var count = 0
        for lane in lanes.indices where !self.modes[lane].modes.isDisjoint(with: modes) {
            var slot = lanes[lane].first
            while slot >= 0, pending.slots[Int(slot)].sequence <= last {
                count += 1
                slot = pending.slots[Int(slot)].inLane.next
            }
        }
        return count
    }

    /// Everything that waits, in order. Nothing is taken out.
    var waiting: [(center: NotificationCenter, topic: Topic)] {
        var taken: [Int] = []
        for slot in pending.slots.indices where pending.slots[slot].sequence != 0 {
            taken.append(slot)
        }
        let slots = pending.slots
        taken.sort { slots[$0].sequence < slots[$1].sequence }
        var waiting: [(center: NotificationCenter, topic: Topic)] = []
        for slot in taken {
            waiting.append((queues.center(of: slots[slot].queueID), pending.posts[slot].topic))
        }
        return waiting
    }
}

// MARK: - Enqueuing and removing

extension ThreadPostQueueState {
    /// The lane of some modes; nil: the default mode.
    @inline(__always)
    mutating func lane(_ style: LaneStyle, _ modes: Set<RunLoop.Mode>?) -> Int {
        guard let modes else { return style == .whenIdle ? 1 : 0 }
        return lane(style, of: modes)
    }

    @inline(never)
    private mutating func lane(_ style: LaneStyle, of modes: Set<RunLoop.Mode>) -> Int {
        let key = LaneKey(style: style, modes: modes)
        if let known = lanesOfModes[key] { return known }
        let lane = unusedLane(style, RunLoopModes(modes))
        lanesOfModes[key] = lane
        return lane
    }

    /// A lane for modes that have none.
    ///
    /// A program has few sets of modes. A program that makes them up gets used lanes again; a late
    /// call of the run loop for such a lane finds another request.
    private mutating func unusedLane(_ style: LaneStyle, _ modes: RunLoopModes) -> Int {
        if lanes.count >= 32 {
            // A few are looked at each time, so that many lanes that are all in use cost no more.
            for _ in 0..<30 {
                if nextLook >= lanes.count { nextLook = 2 }
                let lane = nextLook
                nextLook += 1
                guard lanes[lane].isEmpty else { continue }
                lanesOfModes[LaneKey(style: lanes[lane].style, modes: self.modes[lane].modes)] = nil
                lanes[lane] = Lane(style)
                requests.reuse(lane)
                self.modes[lane] = modes
                return lane
            }
        }
        lanes.append(Lane(style))
        requests.addLane()
        self.modes.append(modes)
        return lanes.count - 1
    }

    /// Puts a post behind the others of its style and modes. The request, if the loop has to be
    /// told.
    @inline(__always)
    mutating func append(
        _ post: consuming QueuedPost, to lane: Int, of queueID: Int32
    ) -> DrainRequest? {
        lastSequence &+= 1
        let last = lanes[lane].last
        let entry = PendingPosts.Slot(
            sequence: lastSequence, topicHash: post.topicHash,
            subjectHash: post.subject.identity, queueID: queueID, lane: Int32(lane),
            inLane: PendingPosts.Link(previous: last))
        let slot = pending.insert(post, entry)
        lanes[lane].last = slot
        if last >= 0 {
            pending.slots[Int(last)].inLane.next = slot
        } else {
            lanes[lane].first = slot
        }
        queues.counts[Int(queueID)] &+= 1
        byName.insert(slot, &pending)
        bySender.insert(slot, &pending)
        byBoth.insert(slot, &pending)
        guard let number = requests.appended(to: lane, wasEmpty: last < 0) else { return nil }
        return request(lane, number)
    }

    /// Takes a slot out of its lane and the indices.
    @inline(__always)
    mutating func remove(_ slot: Int32) -> QueuedPost {
        let entry = pending.slots[Int(slot)]
        let lane = Int(entry.lane)
        if entry.inLane.previous >= 0 {
            pending.slots[Int(entry.inLane.previous)].inLane.next = entry.inLane.next
        } else {
            lanes[lane].first = entry.inLane.next
        }
        if entry.inLane.next >= 0 {
            pending.slots[Int(entry.inLane.next)].inLane.previous = entry.inLane.previous
        } else {
            lanes[lane].last = entry.inLane.previous
        }
        queues.counts[Int(entry.queueID)] &-= 1
        byName.remove(slot, &pending)
        bySender.remove(slot, &pending)
        byBoth.remove(slot, &pending)
        return pending.remove(slot)
    }

    /// The request for the call with this number; nil once the thread has ended.
    mutating func request(_ lane: Int, _ number: UInt64) -> DrainRequest? {
        guard let hooks else { return nil }
        return DrainRequest(
            lane: lane, number: number, style: lanes[lane].style, modes: modes[lane],
            hooks: hooks, hops: isMain && requests.wantsHop())
    }

    /// The number of waiting posts, if it is to be reported; else zero.
    @inline(__always)
    mutating func newHighWater() -> Int {
        if pending.count < nextReport { return 0 }
        nextReport *= 2
        return pending.count
    }

    /// Gives memory back, and has the next high-water mark reported again.
    mutating func becameEmpty() {
        pending.trim()
        nextReport = Self.highWaterMark
    }
}

// MARK: - Coalescing

extension ThreadPostQueueState {
    /// Finds a post by its key.
    @inline(__always)
    mutating func find(
        _ key: borrowing CoalescingKey, _ equality: ValueEquality, except: Int32 = -1
    ) -> CoalescingIndex.Found {
        if queues.counts[Int(key.queueID)] == 0 { return .nothing }
        switch key.parts {
        case .nothing:
            return .nothing
        case .name:
            if !byName.isBuilt { byName.build(&pending) }
            return byName.find(key, equality, pending, except: except)
        case .sender:
            if !bySender.isBuilt { bySender.build(&pending) }
            return bySender.find(key, equality, pending, except: except)
        case .nameAndSender:
            if !byBoth.isBuilt { byBoth.build(&pending) }
            return byBoth.find(key, equality, pending, except: except)
        }
    }

    /// Replaces the last post of its lane, if topic and subject are the same and no other post has
    /// the key. The result is the same as of removing and appending. On return `post` is the
    /// replaced post, for the caller to release.
    ///
    /// - Returns: Whether it was replaced.
    @inline(__always)
    mutating func replaceLast(
        _ options: EnqueueOptions, by post: inout QueuedPost, _ key: borrowing CoalescingKey
    ) -> Bool {
        let last = lanes[lane(options.style, options.modes)].last
        guard last >= 0, !key.subject.isValue, key.isExactly(last, pending) else { return false }
        guard case .nothing = find(key, ValueEquality(), except: last) else { return false }
        lastSequence &+= 1
        pending.replace(last, by: &post, sequence: lastSequence)
        return true
    }

    /// The step that remains before a post can be appended.
    enum Coalesced {
        case done
        /// The post is not to be appended.
        case stays
        case ask([ValueEquality.Question])
    }

    /// Removes all posts with a key; with `keepsFirst`, only says whether there is one.
    @inline(__always)
    mutating func coalesce(
        _ key: borrowing CoalescingKey, keepsFirst: Bool, _ equality: ValueEquality,
        _ discarded: inout DiscardedPosts
    ) -> Coalesced {
        while true {
            switch find(key, equality) {
            case .nothing: return .done
            case .ask(let questions): return .ask(questions)
            case .slot(let slot):
                if keepsFirst { return .stays }
                discarded.add(remove(slot))
                if pending.count == 0 { becameEmpty() }
            }
        }
    }
}
