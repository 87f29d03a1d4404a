// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification that a suspended center keeps.
// Sendable: as unchecked as a notification that crosses threads.
struct HeldNotification: @unchecked Sendable {
    let payload: NamedPayload
    let topic: Topic
    let subject: Subject
    /// The last registration when it arrived: later observers do not get it.
    let lastRegistration: UInt64
    /// Whether no later one has this name and object.
    var isLatest = true
    /// Whether it is delivered however observers behave.
    let isForAll: Bool
    /// About how many bytes it takes.
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

    /// What notifications have in common of which the last is enough.
    var key: DistributedInterest {
        DistributedInterest(name: topic.name, object: subject.string)
    }
}

/// The notifications that a suspended center keeps, in the order of arrival.
///
/// One that supersedes another finds it at once, however many there are; what was superseded leaves a
/// gap, and gaps are closed when they are the greater part.
struct HeldNotifications: Sendable {
    private var places: [HeldNotification?] = []
    private var gaps = 0
    /// Of those that may be given up, how many there are, and about how many bytes they take.
    private var (due, dueBytes) = (0, 0)
    /// Where the latest of each name and object stands, among those since the last that is for all.
    private var latest: [DistributedInterest: Int] = [:]

    /// How many there are.
    var count: Int { places.count - gaps }

    /// So many are kept, and so many bytes of them. Apple's page on suspension speaks of such a size, and
    /// leaves it open.
    static let most = 100_000
    static let mostBytes = 64 * 1024 * 1024

    /// - Parameter keepsOlder: whether somebody gets all of them; else the last is enough.
    /// - Returns: How many were given up because there are too many.
    mutating func append(_ notification: HeldNotification, keepsOlder: Bool) -> Int {
        if notification.isForAll {
            // What was held before it is delivered before it, and so superseded by nothing.
            latest = [:]
        } else {
            supersede(latest.updateValue(places.count, forKey: notification.key), keepsOlder)
            due += 1
            dueBytes += notification.size
        }
        places.append(notification)
        if gaps > 64, gaps > places.count / 2 { closeGaps() }
        return isWithin(1) ? 0 : giveUpOldest()
    }

    private func isWithin(_ part: Double) -> Bool {
        Double(due) <= Double(Self.most) * part && Double(dueBytes) <= Double(Self.mostBytes) * part
    }

    /// A good part of them at once: to look for the oldest each time would take its time.
    private mutating func giveUpOldest() -> Int {
        let before = count
        // The last of its name and object last of all, and never what all are to get.
        giveUp { !$0.isLatest }
        giveUp { _ in true }
        closeGaps()
        return before - count
    }

    private mutating func giveUp(where isLessWorth: (HeldNotification) -> Bool) {
        for place in places.indices {
            if isWithin(15.0 / 16) { return }
            guard let notification = places[place], !notification.isForAll,
                isLessWorth(notification)
            else { continue }
            remove(notification, at: place)
        }
    }

    private mutating func supersede(_ place: Int?, _ keepsOlder: Bool) {
        guard let place else { return }
        if keepsOlder {
            places[place]?.isLatest = false
        } else if let notification = places[place] {
            remove(notification, at: place)
        }
    }

    private mutating func remove(_ notification: HeldNotification, at place: Int) {
        places[place] = nil
        gaps += 1
        due -= 1
        dueBytes -= notification.size
    }

    private mutating func closeGaps() {
        places.removeAll { $0 == nil }
        gaps = 0
        latest = [:]
        for (place, notification) in places.enumerated() {
            guard let notification else { continue }
            if notification.isForAll { latest = [:] } else { latest[notification.key] = place }
        }
    }

    mutating func takeAll() -> [HeldNotification] {
        defer { self = HeldNotifications() }
        return places.compactMap { $0 }
    }

    /// Takes the last that is for all, and what came before it.
    mutating func takeUpToLastForAll() -> [HeldNotification] {
        guard let last = places.lastIndex(where: { $0?.isForAll == true }) else { return [] }
        let first = places[...last].compactMap { $0 }
        places.removeFirst(last + 1)
        closeGaps()
        for notification in first where !notification.isForAll {
            due -= 1
            dueBytes -= notification.size
        }
        return first
    }
}
