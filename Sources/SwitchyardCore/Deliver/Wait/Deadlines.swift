// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Deadlines with numbers, of which the earliest is found at once: a binary heap.
///
/// Deadlines that are no longer needed stay until ``tidy(keeping:where:)`` finds that they are the
/// greater part.
struct Deadlines: Sendable {
    struct Entry: Sendable {
        let deadline: ContinuousClock.Instant
        let number: UInt64
    }

    /// Each entry is as early as those at twice its index, plus one and plus two.
    private var entries: [Entry] = []

    /// The earliest; nil if there is none.
    var first: Entry? { entries.first }

    var count: Int { entries.count }

    /// O(log n).
    mutating func insert(_ deadline: ContinuousClock.Instant, _ number: UInt64) {
        entries.append(Entry(deadline: deadline, number: number))
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            if entries[parent].deadline <= entries[index].deadline { return }
            entries.swapAt(parent, index)
            index = parent
        }
    }

    /// Removes the earliest. O(log n).
    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        sink(0)
    }

    /// Drops the entries that are not needed, if they are the greater part. O(1) on average.
    ///
    /// - Parameter needed: the number of those that are.
    mutating func tidy(keeping needed: Int, where isNeeded: (UInt64) -> Bool) {
        if entries.count < 64 || entries.count <= 2 * needed { return }
        entries.removeAll { !isNeeded($0.number) }
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var earliest = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].deadline < entries[earliest].deadline { earliest = child }
            }
            if earliest == index { return }
            entries.swapAt(earliest, index)
            index = earliest
        }
    }
}
