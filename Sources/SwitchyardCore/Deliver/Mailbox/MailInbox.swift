// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The side of a mailbox where posts put deliveries: the waiting ones, and whether the target knows
/// of them.
///
/// A state machine without a lock and without effects: it says whether to wake the target, and the
/// mailbox does so.
struct MailInbox {
    private(set) var entries = MailQueue()
    /// The address of the observation of the newest entry that shares a reference to it, which the
    /// first of such entries in a row brought. For comparison only.
    private var newest: UInt = 0
    /// Objects that are to be let go on the target.
    private var released: [ReleasedObject] = []
    /// Whether a wake-up is on its way, or, without nested loops, its drain under way.
    var isSignalled = false
    /// Whether no delivery is added any more.
    private(set) var isClosed = false
    /// Whether the target has ended, and lets nothing go any more.
    private(set) var targetHasEnded = false
    /// Whether ``add(_:)`` takes no entry, because the mailbox is closed, or because a center
    /// measures late deliveries in it. One flag for both, so that a post tests only one.
    private var isGuarded = false
    /// The number of deliveries that waited when the target ended, until they have been reported.
    private(set) var ending = 0
    /// Whether a delivery that was posted after the target had ended has been reported.
    private var hasReportedAfterEnd = false
    private let highWaterMark: Int
    private var nextReport: Int

    init(highWaterMark: Int) {
        self.highWaterMark = highWaterMark
        nextReport = highWaterMark
    }
}

// MARK: - Posting

extension MailInbox {
    /// The consequences of a delivery that was added.
    struct Added {
        /// Whether the target has to be woken.
        let wakes: Bool
        /// The number of waiting deliveries, if that is to be reported; otherwise 0.
        let toReport: Int
    }

    /// Adds an entry at the end, unless the target has ended, or the mailbox is watched.
    @inline(__always)
    mutating func add(_ entry: MailEntry) -> Added? { isGuarded ? nil : append(entry) }

    /// Adds an entry at the end, unless the target has ended.
    mutating func addWatched(_ entry: MailEntry) -> Added? { isClosed ? nil : append(entry) }

    @inline(__always)
    private mutating func append(_ entry: MailEntry) -> Added {
        entries.append(entry)
        let wakes = !isSignalled
        isSignalled = true
        return Added(wakes: wakes, toReport: countToReport())
    }

    /// Adds an entry that shares a reference to the observation at `address`, unless the target has
    /// ended, or the mailbox is watched.
    ///
    /// - Parameter makeEntry: makes the entry; told whether it has to bring the reference.
    @inline(__always)
    mutating func add(of address: UInt, _ makeEntry: (_ isFirst: Bool) -> MailEntry) -> Added? {
        isGuarded ? nil : append(of: address, makeEntry)
    }

    /// Appends an entry for an observation whose center does not watch the mailbox, also if other
    /// centers watch it, where ``add(of:_:)`` would not.
    mutating func addUnwatched(
        of address: UInt, _ makeEntry: (_ isFirst: Bool) -> MailEntry
    ) -> Added? {
        isClosed ? nil : append(of: address, makeEntry)
    }

    @inline(__always)
    private mutating func append(
        of address: UInt, _ makeEntry: (_ isFirst: Bool) -> MailEntry
    ) -> Added {
        let isFirst = newest != address
        newest = address
        return append(makeEntry(isFirst))
    }

    /// Adds an object that the target releases.
    ///
    /// - Returns: Whether the target has to be woken.
    mutating func append(_ object: ReleasedObject) -> Bool {
        released.append(object)
        defer { isSignalled = true }
        return !isSignalled
    }

    /// The number of waiting deliveries, if that is to be reported: at the high-water mark, and at
    /// each doubling.
    @inline(__always)
    private mutating func countToReport() -> Int {
        if entries.count < nextReport { return 0 }
        nextReport *= 2
        return entries.count
    }

    /// True for the first delivery that comes after the end.
    mutating func isFirstAfterEnd() -> Bool {
        defer { hasReportedAfterEnd = true }
        return !hasReportedAfterEnd
    }
}

// MARK: - Draining

extension MailInbox {
    /// Begins a drain.
    ///
    /// - Parameters:
    ///   - count: the number of deliveries that an earlier drain has taken over and not made yet.
    ///   - nests: whether handlers may run the target's loop.
    /// - Returns: The number of deliveries, and the objects to let go first.
    mutating func beginDrain(behind count: Int, nests: Bool) -> (Int, [ReleasedObject]) {
        let waiting = count + entries.count
        // A handler may run the target's loop: the mail behind the first delivery, and later posts,
        // have to wake it during this drain.
        if nests { isSignalled = waiting > 1 }
        defer { released = [] }
        return (waiting, released)
    }

    /// Exchanges the deliveries for `other`, which is empty.
    mutating func exchange(_ other: inout MailQueue) {
        swap(&entries, &other)
        newest = 0
        nextReport = highWaterMark
    }

    /// Ends a drain.
    ///
    /// - Parameter isEmpty: whether it has made all deliveries that it took over.
    /// - Returns: Whether the target has to be woken for mail that has come meanwhile.
    mutating func endDrain(isEmpty: Bool, nests: Bool) -> Bool {
        let isDone = isEmpty && entries.isEmpty && released.isEmpty
        let wakes = !isDone && !targetHasEnded && !(nests && isSignalled)
        isSignalled = wakes || nests && isSignalled
        return wakes
    }
}

// MARK: - Ending

extension MailInbox {
    /// Closes it: no delivery is added any more.
    ///
    /// - Parameter count: the number of deliveries that a drain had taken over and not made.
    /// - Returns: The deliveries that waited here.
    mutating func close(withBefore count: Int) -> MailQueue {
        isClosed = true
        isGuarded = true
        ending = count + entries.count
        defer { entries = MailQueue() }
        return entries
    }

    /// Notes that the target has ended.
    ///
    /// - Returns: The objects to let go.
    mutating func endTarget() -> [ReleasedObject] {
        targetHasEnded = true
        defer { released = [] }
        return released
    }

    /// Notes whether somebody watches how late deliveries are.
    mutating func isWatched(_ isWatched: Bool) { isGuarded = isWatched || isClosed }

    /// Notes that the deliveries which waited at the end have been reported.
    mutating func endIsReported() { ending = 0 }

    /// Takes out the deliveries for which `predicate` holds.
    mutating func removeAll(where predicate: (MailEntry) -> Bool) -> [MailEntry] {
        entries.removeAll(where: predicate)
    }
}

/// The last reference to an object, which is to be let go on the target. Unmanaged: an owner that
/// still held one of its own for a moment could be the last after all.
struct ReleasedObject: @unchecked Sendable {
    // Sendable: handed over, and touched by the target alone from then on.
    let object: Unmanaged<AnyObject>
}

// MARK: - The queue

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
///
/// Not a ``FIFO``: every delivery to another thread comes through here. Debug builds compile each
/// file by itself, so they specialize no generic type of another file, and asking the runtime for
/// one takes longer than all else that a post does. Also, an entry is plain bits: one that was
/// taken needs no clearing.
struct MailQueue {
    private var entries: [MailEntry] = []
    private var head = 0

    /// Above this many entries the memory of an emptied queue is given back.
    private static var keptCapacity: Int { 4096 }

    var count: Int { entries.count &- head }
    var isEmpty: Bool { head == entries.count }

    mutating func append(_ entry: MailEntry) { entries.append(entry) }

    mutating func popFirst() -> MailEntry? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        head &+= 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: entries.capacity <= Self.keptCapacity)
            head = 0
        }
        return entry
    }

    /// Calls `body` with each entry, in order.
    func visit(_ body: (MailEntry) -> Void) { entries[head...].forEach(body) }

    /// Takes out all entries that satisfy `isGone`, in order. O(n).
    mutating func removeAll(where isGone: (MailEntry) -> Bool) -> [MailEntry] {
        var removed: [MailEntry] = []
        var rest: [MailEntry] = []
        // Each entry is asked once: the answer may change meanwhile.
        for entry in entries[head...] {
            if isGone(entry) { removed.append(entry) } else { rest.append(entry) }
        }
        entries = rest
        head = 0
        return removed
    }
}
