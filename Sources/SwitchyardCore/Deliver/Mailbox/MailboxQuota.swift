// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A mailbox's bound, shared out in equal parts among the observers that have none of their own: so
/// what floods one of them takes no room from another.
final class MailboxQuota: Sendable {
    let bound: DeliveryBound
    private let observers = Atomic<Int>(0)
    /// The sharers in which a post has waited for room.
    private let waiting = Guarded<[ObjectIdentifier: Sharer]>([:])

    private struct Sharer: Sendable {
        // Weak: it keeps its quota.
        weak let sharer: (any QuotaSharer)?
    }

    init(_ bound: DeliveryBound) { self.bound = bound }

    func join() { observers.wrappingAdd(1, ordering: .relaxed) }

    /// Leaves its share to the others, which give the room to posts that wait for it. O(1), unless
    /// the share has grown by that.
    func leave() {
        let before = observers.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue
        if share(among: before) == share(among: before - 1) { return }
        // The loop holds no lock: a sharer whose last reference it lets go leaves the quota too.
        let all = waiting.withLock { Array($0.values) }
        for entry in all { entry.sharer?.shareHasGrown() }
    }

    /// Tells `sharer`, which is ending, no longer.
    func forget(_ sharer: any QuotaSharer) {
        waiting.withLock { $0[ObjectIdentifier(sharer)] = nil }
    }

    /// Has `sharer` told each time that its share has grown.
    func willTell(_ sharer: any QuotaSharer) {
        waiting.withLock { $0[ObjectIdentifier(sharer)] = Sharer(sharer: sharer) }
    }

    /// The number of deliveries that may wait for one observer: one at least.
    var share: Int { share(among: observers.load(ordering: .relaxed)) }

    private func share(among observers: Int) -> Int { max(1, bound.limit / max(1, observers)) }
}

/// A holder of a share of a mailbox's bound.
protocol QuotaSharer: AnyObject, Sendable {
    /// Called when other holders have left this one more room.
    func shareHasGrown()
}
