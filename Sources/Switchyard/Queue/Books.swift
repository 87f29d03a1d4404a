// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The queues of one thread: a book for each, also for one that has gone while posts of its wait.
///
/// No center is let go of in here: that may be the user's code, and a lock is held.
struct Books {
    private var centers: [NotificationCenter?] = []
    private var isOpen: [Bool] = []
    /// How many posts of each wait.
    var counts: [Int] = []

    /// - Complexity: O(queues of the thread).
    mutating func open(_ center: NotificationCenter) -> Int32 {
        if let free = centers.firstIndex(where: { $0 == nil }) {
            centers[free] = center
            isOpen[free] = true
            return Int32(free)
        }
        centers.append(center)
        isOpen.append(true)
        counts.append(0)
        return Int32(centers.count - 1)
    }

    /// The queue has gone: what it left is still posted. Gives back the center to let go, if that
    /// was all.
    mutating func close(_ book: Int32) -> NotificationCenter? {
        isOpen[Int(book)] = false
        return counts[Int(book)] == 0 ? centers[Int(book)].take() : nil
    }

    func center(of book: Int32) -> NotificationCenter {
        guard let center = centers[Int(book)] else { preconditionFailure("a book nobody keeps") }
        return center
    }

    /// The center for a post that was just taken out, which may have been the last of a queue that
    /// has gone.
    @inline(__always)
    mutating func centerAfterTaking(from book: Int32) -> NotificationCenter {
        let center = center(of: book)
        if counts[Int(book)] == 0, !isOpen[Int(book)] { centers[Int(book)] = nil }
        return center
    }

    /// Nothing waits any more. The caller holds the centers of what did.
    mutating func clear() {
        for book in counts.indices {
            counts[book] = 0
            if !isOpen[book] { centers[book] = nil }
        }
    }
}
