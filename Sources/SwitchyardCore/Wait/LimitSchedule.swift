// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Values with deadlines, and the times at which somebody looks whether one has passed. A binary
/// heap of the deadlines, without locks and without clocks. Guard: the lock of `WaitLimit`.
///
/// A look can't be called off, so that a value that is removed leaves its look behind. No look is
/// added while there is an earlier one, or one at the same time: the first look finds the deadline
/// that comes next, and adds a look for it if none is there. So the looks are few: each is for an
/// earlier time than those that were there before.
struct LimitSchedule<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let deadline: ContinuousClock.Instant
        let number: UInt64
    }

    private var values: [UInt64: Value] = [:]
    private var lastNumber: UInt64 = 0
    /// A heap: each entry is as early as those at twice its index, plus one and plus two, or
    /// earlier. Entries of removed values stay until they are the greater part.
    private var entries: [Entry] = []
    /// The times of the looks to come, the earliest last.
    private var looks: [ContinuousClock.Instant] = []

    /// The number of deadlines, with those of removed values that are still kept.
    var deadlineCount: Int { entries.count }

    var lookCount: Int { looks.count }

    /// Adds a value. O(log n).
    ///
    /// - Returns: The value's number, and the time of a look that has to be added; nil if one comes
    ///   early enough.
    mutating func add(
        _ value: Value, at deadline: ContinuousClock.Instant
    ) -> (number: UInt64, look: ContinuousClock.Instant?) {
        lastNumber += 1
        values[lastNumber] = value
        entries.append(Entry(deadline: deadline, number: lastNumber))
        rise(entries.count - 1)
        return (lastNumber, addLook(deadline))
    }

    /// Removes a value before its deadline. O(1) on average.
    ///
    /// - Returns: The value; nil if its deadline has passed, and it was taken.
    mutating func remove(_ number: UInt64) -> Value? {
        let value = values.removeValue(forKey: number)
        if entries.count > 64, entries.count > 2 * values.count {
            entries.removeAll { values[$0.number] == nil }
            for index in (0..<entries.count / 2).reversed() { sink(index) }
        }
        return value
    }

    /// Ends a look: removes the values whose deadlines have passed. O(log n) for each.
    ///
    /// - Parameters:
    ///   - now: the present time.
    ///   - look: the time for which the look was added.
    /// - Returns: The values, the earliest first, and the time of a look that has to be added.
    mutating func takeDue(
        at now: ContinuousClock.Instant, after look: ContinuousClock.Instant
    ) -> (values: [Value], look: ContinuousClock.Instant?) {
        if let index = looks.lastIndex(of: look) { looks.remove(at: index) }
        var due: [Value] = []
        while let first = entries.first {
            if first.deadline > now, values[first.number] != nil { break }
            removeFirst()
            if let value = values.removeValue(forKey: first.number) { due.append(value) }
        }
        return (due, entries.first.flatMap { addLook($0.deadline) })
    }

    /// - Returns: The time, if a look has to be added.
    private mutating func addLook(_ time: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if let earliest = looks.last, earliest <= time { return nil }
        looks.append(time)
        return time
    }

    // MARK: - The heap

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        sink(0)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            if entries[parent].deadline <= entries[index].deadline { return }
            entries.swapAt(parent, index)
            index = parent
        }
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
