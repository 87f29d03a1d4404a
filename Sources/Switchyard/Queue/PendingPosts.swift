// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The posts that wait on one thread, in slots that are used again: nothing is allocated for a post
/// once there are as many slots as ever were needed at a time.
///
/// Slots are linked by their numbers: in their lane, and in the indices by which coalescing finds
/// them. The linked entries are plain data, apart from the posts, so that a walk retains nothing.
struct PendingPosts: ~Copyable {
    /// A slot's neighbours in a list; -1 for none.
    struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    struct Slot {
        /// The post's number among all that were ever enqueued on this thread; 0 while the slot is
        /// free.
        var sequence: UInt64 = 0
        var topicHash: UInt = 0
        var subjectHash: UInt = 0
        /// The queue in which the post waits.
        var queueID: Int32 = 0
        var lane: Int32 = 0
        /// The link in the lane, or, with `next`, among the free slots.
        var inLane = Link()
        /// The links in the indices by name, by sender and by both, where there is such an index.
        var byName = Link()
        var bySender = Link()
        var byBoth = Link()
    }

    var slots: [Slot] = []
    /// The post of each slot that is not free.
    // Unsafe, because posts are moved in and out, and looked at where they are: a copy would retain
    // the objects that they hold. Slot `n` of `slots` says whether `n` is initialized.
    private(set) var posts: UnsafeMutablePointer<QueuedPost>
    private var capacity = 8
    private var firstFree: Int32 = -1
    private(set) var count = 0
    /// The largest number of waiting posts since nothing waited.
    private var peak = 0

    init() { posts = .allocate(capacity: capacity) }

    deinit {
        for slot in slots.indices where slots[slot].sequence != 0 {
            (posts + slot).deinitialize(count: 1)
        }
        posts.deallocate()
    }

    /// Puts a post into a free slot, and returns the slot's number.
    @inline(__always)
    mutating func insert(_ post: consuming QueuedPost, _ slot: Slot) -> Int32 {
        count &+= 1
        if count > peak { peak = count }
        var index = firstFree
        if index >= 0 {
            firstFree = slots[Int(index)].inLane.next
            slots[Int(index)] = slot
        } else {
            index = Int32(slots.count)
            if slots.count == capacity { grow() }
            slots.append(slot)
        }
        (posts + Int(index)).initialize(to: post)
        return index
    }

    /// Takes the post out of a slot that nothing links to any more.
    @inline(__always)
    mutating func remove(_ slot: Int32) -> QueuedPost {
        slots[Int(slot)].sequence = 0
        slots[Int(slot)].inLane.next = firstFree
        firstFree = slot
        count &-= 1
        return (posts + Int(slot)).move()
    }

    /// Exchanges the post in a slot for another with the same topic and subject.
    @inline(__always)
    mutating func replace(_ slot: Int32, by post: inout QueuedPost, sequence: UInt64) {
        slots[Int(slot)].sequence = sequence
        swap(&posts[Int(slot)], &post)
    }

    @inline(never)
    private mutating func grow() {
        // All slots are initialized: with a free one, there would be no need to grow.
        let bigger = UnsafeMutablePointer<QueuedPost>.allocate(capacity: capacity * 2)
        bigger.moveInitialize(from: posts, count: slots.count)
        posts.deallocate()
        posts = bigger
        capacity *= 2
    }

    /// Gives back the memory that a burst left behind, when no entry waits: at once if it was
    /// large, else when it turns out that less will do.
    mutating func trim() {
        let isMuch = slots.count > 65_536
        let isTooMuch = slots.count > 1024 && peak < slots.count / 4
        peak = 0
        if isMuch || isTooMuch { self = PendingPosts() }
    }
}
