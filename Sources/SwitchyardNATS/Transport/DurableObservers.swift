// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A durable observer, as a transport knows it. It outlives the transport's sessions.
protocol DurableObserver: AnyObject, Sendable {
    /// Whether the observer needs no session any more.
    var hasEnded: Bool { get }
    /// Calls the handler no more until the observer has subscribed again.
    func interrupt()
    /// Makes the observer check now whether it is subscribed.
    func wake()
    /// Makes the observer subscribe anew if it is subscribed to a subject that a server now refuses.
    func wasRefused(_ subject: RefusedSubject)
}

/// The durable observers of a transport. The list keeps none of them alive. Guard: the transport's
/// lock.
struct DurableObservers: Sendable {
    private struct Entry {
        weak let observer: (any DurableObserver)?
    }

    private var entries: [Entry] = []

    /// The observers that have not been released.
    var all: [any DurableObserver] { entries.compactMap(\.observer) }

    /// Adds an observer, and forgets those that have ended.
    ///
    /// - Returns: The observers that were looked at, for the caller to release without the lock:
    ///   the release of the last reference runs the user's code.
    mutating func add(_ observer: any DurableObserver) -> [any DurableObserver] {
        var looked: [any DurableObserver] = []
        entries.removeAll { entry in
            guard let observer = entry.observer else { return true }
            looked.append(observer)
            return observer.hasEnded
        }
        entries.append(Entry(observer: observer))
        return looked
    }
}
#endif
