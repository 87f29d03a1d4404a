// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The queues of one thread by their ids, also a queue that has gone while posts of its wait.
///
/// No center is released in here: that may run the user's code, and a lock is held.
struct QueueTable {
    private var centers: [NotificationCenter?] = []
    private var isOpen: [Bool] = []
    /// Ids to be used again.
    private var free: [Int32] = []
    /// The number of waiting posts of each.
    var counts: [Int] = []

    mutating func open(_ center: NotificationCenter) -> Int32 {
        if let id = free.popLast() {
            centers[Int(id)] = center
            isOpen[Int(id)] = true
            return id
        }
        centers.append(center)
        isOpen.append(true)
        counts.append(0)
        return Int32(centers.count - 1)
    }

    /// The queue has gone: its waiting entries are still posted. Gives back the center to let go,
    /// if that was all.
    mutating func close(_ id: Int32) -> NotificationCenter? {
        isOpen[Int(id)] = false
        return counts[Int(id)] == 0 ? release(id) : nil
    }

    func center(of id: Int32) -> NotificationCenter {
        guard let center = centers[Int(id)] else { preconditionFailure("no queue has this id") }
        return center
    }

    /// Notes that a post was taken out, which may have been the last of a queue that has gone.
    /// Gives its center, if that is another than the last one's, which the caller holds.
    @inline(__always)
    mutating func took(
        from id: Int32, after last: NotificationCenter?, _ other: inout NotificationCenter?
    ) {
        if centers[Int(id)] !== last { other = centers[Int(id)] }
        if counts[Int(id)] == 0, !isOpen[Int(id)] { _ = release(id) }
    }

    /// Forgets all posts that waited. The caller holds their centers.
    mutating func clear() {
        for id in counts.indices {
            if counts[id] > 0, !isOpen[id] { _ = release(Int32(id)) }
            counts[id] = 0
        }
    }

    private mutating func release(_ id: Int32) -> NotificationCenter? {
        free.append(id)
        return centers[Int(id)].take()
    }
}
