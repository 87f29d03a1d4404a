// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
///
/// Not a ``FIFO``: every delivery to another thread comes through here. Debug builds compile each file
/// by itself, so they specialize no generic type of another file, and asking the runtime for one takes
/// longer than all else that a post does. Also, an entry is plain bits: one that was taken needs no
/// clearing.
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
