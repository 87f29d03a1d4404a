// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The notifications that a suspended center keeps, in the order of arrival.
///
/// A new notification finds the one that it supersedes in constant time. The superseded one leaves
/// a gap; gaps are closed once they are more than half of the entries.
struct HeldNotifications: Sendable {
    private var slots: [HeldNotification?] = []
    private var gaps = 0
    /// The approximate bytes of the notifications.
    private var bytes = 0
    /// The index of the latest notification of each name and object, among those after the last
    /// that is for all.
    private var latest: [HeldKey: Int] = [:]
    /// The indices of earlier notifications of each name and object that are the latest for an
    /// observer with a condition, among the same.
    private var latestForSome: [HeldKey: [Int]] = [:]

    /// The notifications that were dropped. They are kept until no lock is held: the end of a
    /// payload is the user's code.
    private var dropped: [DroppedNotification] = []

    /// The number of held notifications.
    var count: Int { slots.count - gaps }

    /// The most notifications that are kept, and the most bytes. Apple's page on suspension speaks
    /// of such a limit without giving it.
    static let most = 100_000
    static let mostBytes = 64 * 1024 * 1024

    /// Adds a notification.
    ///
    /// - Parameter keepsOlder: Whether an observer gets all notifications of this name and object;
    ///   otherwise the last is enough.
    /// - Returns: The number of notifications dropped because there are too many.
    mutating func append(_ notification: HeldNotification, keepsOlder: Bool) -> Int {
        var notification = notification
        // A later value was kept, and is held, while this one was on its way here: this one counts
        // as stale.
        if notification.audience.isReplaced { notification.audience.markStale() }
        if notification.audience.isStale, latest[notification.key] != nil {
            // The later one is held: observers that get only the last notification don't need this
            // one.
            if !notification.isForAll, !keepsOlder {
                noteDropped(notification, .superseded)
                return 0
            }
            notification.isLatest = false
            notification.latestFor = []
        }
        if notification.isForAll {
            // Notifications held before this one are delivered before it, so no later one
            // supersedes them.
            (latest, latestForSome) = ([:], [:])
        } else {
            if notification.isLatest { supersedeEarlier(by: notification, keepsOlder) }
        }
        bytes += notification.bytes
        slots.append(notification)
        if gaps > 64, gaps > slots.count / 2 { closeGaps() }
        return isWithin(0) ? 0 : giveUpOldest()
    }

    /// Whether no more than the most notifications and bytes are held, less a number of sixteenths.
    private func isWithin(_ sixteenths: Int) -> Bool {
        count <= Self.most - Self.most / 16 * sixteenths
            && bytes <= Self.mostBytes - Self.mostBytes / 16 * sixteenths
    }

    /// Drops a good part at once, because searching for the oldest each time would take long.
    private mutating func giveUpOldest() -> Int {
        let (before, droppedBefore) = (count, dropped.count)
        // Superseded notifications go first, then the others. Those that are for all go last: they
        // are due already, and wait for observers that are slow.
        giveUp { !$0.isForAll && !$0.isLatest }
        giveUp { !$0.isForAll }
        giveUp { _ in true }
        closeGaps()
        // Those that somebody is told of are counted there.
        return before - count - dropped[droppedBefore...].count { $0.isTold }
    }

    private mutating func giveUp(where isLessWorth: (HeldNotification) -> Bool) {
        for slot in slots.indices {
            if isWithin(1) { return }
            guard let notification = slots[slot], isLessWorth(notification) else { continue }
            remove(notification, at: slot, .givenUp)
        }
    }

    private mutating func supersedeEarlier(by notification: HeldNotification, _ keepsOlder: Bool) {
        let key = notification.key
        var earlier = latestForSome.removeValue(forKey: key) ?? []
        if let slot = latest.updateValue(slots.count, forKey: key) { earlier.append(slot) }
        for slot in earlier {
            guard var old = slots[slot] else { continue }
            old.isLatest = false
            old.latestFor.subtract(notification.latestFor)
            if !old.latestFor.isEmpty { latestForSome[key, default: []].append(slot) }
            if keepsOlder || !old.latestFor.isEmpty {
                slots[slot] = old
            } else {
                remove(old, at: slot, .superseded)
            }
        }
    }

    private mutating func noteDropped(
        _ notification: HeldNotification, _ end: HeldNotification.End
    ) {
        dropped.append(DroppedNotification(notification: notification, end: end))
    }

    /// Takes the notifications that were dropped. The caller tells of them, and releases them, under
    /// no lock.
    mutating func takeDropped() -> [DroppedNotification] {
        if dropped.isEmpty { return [] }
        defer { dropped = [] }
        return dropped
    }

    private mutating func remove(
        _ notification: HeldNotification, at slot: Int, _ end: HeldNotification.End
    ) {
        noteDropped(notification, end)
        slots[slot] = nil
        gaps += 1
        bytes -= notification.bytes
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        gaps = 0
        (latest, latestForSome) = ([:], [:])
        for (slot, notification) in slots.enumerated() {
            guard let notification else { continue }
            if notification.isForAll {
                (latest, latestForSome) = ([:], [:])
            } else if notification.isLatest {
                latest[notification.key] = slot
            } else if !notification.latestFor.isEmpty {
                latestForSome[notification.key, default: []].append(slot)
            }
        }
    }

    mutating func takeAll() -> [HeldNotification] {
        defer { self = HeldNotifications() }
        return slots.compactMap { $0 }
    }

    /// Removes and returns the last notification that is for all, and those that came before it.
    mutating func takeUpToLastForAll() -> [HeldNotification] {
        guard let last = slots.lastIndex(where: { $0?.isForAll == true }) else { return [] }
        let first = slots[...last].compactMap { $0 }
        slots.removeFirst(last + 1)
        closeGaps()
        bytes -= first.reduce(0) { $0 + $1.bytes }
        return first
    }
}

/// A notification that a suspended center does not keep any more.
struct DroppedNotification: Sendable {
    let notification: HeldNotification
    let end: HeldNotification.End

    /// Whether somebody is told of the end.
    var isTold: Bool { notification.whenOver != nil }

    /// Tells of the end.
    func tell() { notification.whenOver?(end) }
}
