// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The queues of one thread: a book for each, also for one that has gone while posts of its wait.
///
/// No center is let go of in here: that may be the user's code, and a lock is held.
struct Books {
    private var centers: [NotificationCenter?] = []
    private var isOpen: [Bool] = []
    /// Books to be used again.
    private var free: [Int32] = []
    /// How many posts of each wait.
    var counts: [Int] = []

    mutating func open(_ center: NotificationCenter) -> Int32 {
        if let book = free.popLast() {
            centers[Int(book)] = center
            isOpen[Int(book)] = true
            return book
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
        return counts[Int(book)] == 0 ? release(book) : nil
    }

    func center(of book: Int32) -> NotificationCenter {
        guard let center = centers[Int(book)] else { preconditionFailure("a book nobody keeps") }
        return center
    }

    /// Notes that a post was taken out, which may have been the last of a queue that has gone. Gives
    /// its center, if that is another than the last one's, which the caller holds.
    @inline(__always)
    mutating func took(
        from book: Int32, after last: NotificationCenter?, _ other: inout NotificationCenter?
    ) {
        if centers[Int(book)] !== last { other = centers[Int(book)] }
        if counts[Int(book)] == 0, !isOpen[Int(book)] { _ = release(book) }
    }

    /// Forgets all posts that waited. The caller holds their centers.
    mutating func clear() {
        for book in counts.indices {
            if counts[book] > 0, !isOpen[book] { _ = release(Int32(book)) }
            counts[book] = 0
        }
    }

    private mutating func release(_ book: Int32) -> NotificationCenter? {
        free.append(book)
        return centers[Int(book)].take()
    }
}
