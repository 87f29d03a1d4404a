// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The posts that wait in one backlog, in slots that are used again: nothing is allocated for a post
/// once there are as many as ever waited at a time.
///
/// Slots are linked by their numbers: in their lane, and in the indices by which coalescing finds
/// them.
struct PendingPosts {
    /// A slot's neighbours in a list; -1 for none.
    struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    struct Slot {
        /// Nil while the slot is free.
        var post: QueuedPost?
        /// Its place among all that were ever enqueued on this thread.
        var sequence: UInt64
        var lane: Int
        /// In the lane, or, with `next`, among the free.
        var link: Link
    }

    var slots: [Slot] = []
    /// Three for each slot, one for each index; none until there is an index.
    var links: [Link] = []
    private var hasLinks = false
    private(set) var count = 0
    private var firstFree: Int32 = -1

    /// Above this many slots, the memory of an emptied backlog is given back.
    private static var keptCapacity: Int { 4096 }

    /// Takes a post into a free slot.
    @inline(__always)
    mutating func insert(
        _ post: consuming QueuedPost, lane: Int, after last: Int32, sequence: UInt64
    ) -> Int32 {
        count &+= 1
        let free = firstFree
        guard free >= 0 else {
            slots.append(
                Slot(
                    post: post, sequence: sequence, lane: lane,
                    link: Link(previous: last)))
            if hasLinks { addLinks() }
            return Int32(slots.count &- 1)
        }
        firstFree = slots[Int(free)].link.next
        slots[Int(free)].post = post
        slots[Int(free)].sequence = sequence
        slots[Int(free)].lane = lane
        slots[Int(free)].link = Link(previous: last)
        return free
    }

    /// Takes the post out of a slot that nothing links to any more.
    @inline(__always)
    mutating func remove(_ slot: Int32) -> QueuedPost? {
        let post = slots[Int(slot)].post.take()
        slots[Int(slot)].link.next = firstFree
        firstFree = slot
        count &-= 1
        return post
    }

    /// Makes room for the links of indices.
    mutating func prepareLinks() {
        hasLinks = true
        addLinks()
    }

    private mutating func addLinks() {
        while links.count < 3 * slots.count { links.append(Link()) }
    }

    /// Gives back what a burst left behind, when nothing waits.
    mutating func trim() {
        guard count == 0, slots.count > Self.keptCapacity else { return }
        slots = []
        links = []
        firstFree = -1
    }
}
