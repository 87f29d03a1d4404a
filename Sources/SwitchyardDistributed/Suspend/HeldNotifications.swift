// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification that a suspended center keeps.
// Sendable: unchecked, as for any notification that crosses threads.
struct HeldNotification: @unchecked Sendable {
    let payload: NamedPayload
    let topic: Topic
    let subject: Subject
    /// The number of the last registration when the notification arrived: later observers do not
    /// get it.
    let lastRegistration: UInt64
    /// Whether no later held notification has this name and object.
    var isLatest = true
    /// Whether the notification goes to all observers, whatever their behaviours.
    let isForAll: Bool
    /// The approximate number of bytes that the notification takes.
    let size: Int

    func admits(_ observation: Observation) -> Bool {
        if observation.sequence > lastRegistration { return false }
        switch observation.suspension {
        case _ where isForAll: return true
        case Suspension.hold: return true
        case Suspension.coalesce: return isLatest
        default: return false
        }
    }

    /// The name and object. Coalescing keeps only the last notification of each.
    var key: DistributedInterest {
        DistributedInterest(name: topic.name, object: subject.string)
    }
}

/// The notifications that a suspended center keeps, in the order of arrival.
///
/// A new notification finds the one that it supersedes in constant time. The superseded one leaves
/// a gap; gaps are closed once they are more than half of the entries.
struct HeldNotifications: Sendable {
    private var slots: [HeldNotification?] = []
    private var gaps = 0
    /// The number of notifications that are not for all, and so may be dropped, and their
    /// approximate bytes.
    private var (due, dueBytes) = (0, 0)
    /// The index of the latest notification of each name and object, among those after the last
    /// that is for all.
    private var latest: [DistributedInterest: Int] = [:]

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
        if notification.isForAll {
            // Notifications held before this one are delivered before it, so no later one
            // supersedes them.
            latest = [:]
        } else {
            supersede(latest.updateValue(slots.count, forKey: notification.key), keepsOlder)
            due += 1
            dueBytes += notification.size
        }
        slots.append(notification)
        if gaps > 64, gaps > slots.count / 2 { closeGaps() }
        return isWithin(1) ? 0 : giveUpOldest()
    }

    private func isWithin(_ part: Double) -> Bool {
        Double(due) <= Double(Self.most) * part && Double(dueBytes) <= Double(Self.mostBytes) * part
    }

    /// Drops a good part at once, because searching for the oldest each time would take long.
    private mutating func giveUpOldest() -> Int {
        let before = count
        // Superseded notifications go first, then the others; those that are for all stay.
        giveUp { !$0.isLatest }
        giveUp { _ in true }
        closeGaps()
        return before - count
    }

    private mutating func giveUp(where isLessWorth: (HeldNotification) -> Bool) {
        for slot in slots.indices {
            if isWithin(15.0 / 16) { return }
            guard let notification = slots[slot], !notification.isForAll,
                isLessWorth(notification)
            else { continue }
            remove(notification, at: slot)
        }
    }

    private mutating func supersede(_ slot: Int?, _ keepsOlder: Bool) {
        guard let slot else { return }
        if keepsOlder {
            slots[slot]?.isLatest = false
        } else if let notification = slots[slot] {
            remove(notification, at: slot)
        }
    }

    private mutating func remove(_ notification: HeldNotification, at slot: Int) {
        slots[slot] = nil
        gaps += 1
        due -= 1
        dueBytes -= notification.size
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        gaps = 0
        latest = [:]
        for (slot, notification) in slots.enumerated() {
            guard let notification else { continue }
            if notification.isForAll { latest = [:] } else { latest[notification.key] = slot }
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
        for notification in first where !notification.isForAll {
            due -= 1
            dueBytes -= notification.size
        }
        return first
    }
}
