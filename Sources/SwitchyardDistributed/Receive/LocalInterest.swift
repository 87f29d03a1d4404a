// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

/// The interests of this process, and how far the peers have been told of them.
final class LocalInterest: InterestWatcher {
    private struct State {
        var observed: Set<DistributedInterest> = []
        /// The center's own interests, which no observer ends.
        var own: Set<DistributedInterest> = []
        var told: Set<DistributedInterest> = []
        /// The interests in which `observed` and `told` differ.
        var changed: Set<DistributedInterest> = []
        /// Whether an interest has left `told` since ``takeHasEnded()``.
        var hasEnded = false
        /// The number of times that `told` has changed.
        var version = 0
        /// The number of topics and subjects that share one interest. Patterns and any name share
        /// one for each object: other processes send all names, and patterns are matched here.
        /// Types of requests with one name share one.
        var counts: [DistributedInterest: Int] = [:]
        /// The names of requests, by the bits of their topics.
        var requests: [UInt: String] = [:]
        /// The problems of registrations that other processes can't reach.
        var unheard: [String] = []

        /// Keeps only real differences: observers may come and go for long before anybody takes the
        /// changes.
        mutating func note(_ interest: DistributedInterest) {
            if hasToCome(interest) == told.contains(interest) {
                changed.remove(interest)
            } else {
                changed.insert(interest)
            }
        }

        func hasToCome(_ interest: DistributedInterest) -> Bool {
            observed.contains(interest) || own.contains(interest)
        }

        /// Counts a topic or subject that needs the same notifications as others.
        ///
        /// - Returns: Whether there are others, so that nothing changes.
        mutating func count(_ interest: DistributedInterest, _ isObserved: Bool) -> Bool {
            let before = counts[interest] ?? 0
            let after = before + (isObserved ? 1 : -1)
            counts[interest] = after == 0 ? nil : after
            return before > 0 && after > 0
        }
    }

    // Taken under the registry's lock; no other lock is taken inside.
    private let state = Guarded(State())
    private let listener = Guarded<Listener?>(nil)

    // A class, because a closure read from under a lock is wrapped again each time.
    private final class Listener: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    /// Sets the function that is called after changes; nil while no transport tells the peers.
    func onChange(_ call: (@Sendable () -> Void)?) {
        _ = listener.exchange(call.map { Listener($0) })
    }

    func interestChanged(_ topic: Topic, _ subject: Subject, isObserved: Bool) {
        let isForManyNames = topic.isAnyName || topic.isPattern
        guard topic.isName || isForManyNames else { return answersChanged(topic, isObserved) }
        if let problem = Self.problem(topic, subject) {
            // Without a transport nobody takes the problem, and no observer is reached anyway.
            guard isObserved, let listener = listener.withLock({ $0 }) else { return }
            state.withLock { $0.unheard.append(problem) }
            listener.call()
            return
        }
        let interest = DistributedInterest(
            name: isForManyNames ? nil : topic.name, object: subject.string)
        change(interest, isObserved, isShared: isForManyNames)
    }

    /// - Parameter isShared: whether several topics and subjects have this interest.
    private func change(_ interest: DistributedInterest, _ isObserved: Bool, isShared: Bool) {
        state.withLock { state in
            if isShared, state.count(interest, isObserved) { return }
            if isObserved {
                state.observed.insert(interest)
            } else {
                state.observed.remove(interest)
            }
            state.note(interest)
        }
        listener.withLock { $0 }?.call()
    }

    /// Returns the reason why requests of a name can't go to other processes; nil if they can.
    static func problem(ofRequest name: String) -> String? {
        let count = name.utf8.count
        if count <= WireFormat.longestObject { return nil }
        return
            "requests of a name of \(count) bytes stay in their process: it may have at most "
            + "\(WireFormat.longestObject)"
    }

    /// Has requests of a name come here while somebody answers those of a topic.
    func addRequest(_ name: String, _ topic: Topic) {
        state.withLock { $0.requests[topic.bits] = name }
    }

    private func answersChanged(_ topic: Topic, _ isObserved: Bool) {
        guard let name = state.withLock({ $0.requests[topic.bits] }) else { return }
        change(
            DistributedInterest(name: CenterNames.requests, object: name), isObserved,
            isShared: true)
    }

    /// Adds an interest of the center itself.
    func addOwn(_ interest: DistributedInterest) {
        state.withLock { state in
            state.own.insert(interest)
            state.note(interest)
        }
        listener.withLock { $0 }?.call()
    }

    /// Adds the problem of a registration that other processes can't reach.
    func addProblem(_ problem: String) {
        state.withLock { $0.unheard.append(problem) }
        listener.withLock { $0 }?.call()
    }

    /// Puts an interest of the center itself in the place of another; nil stands for none.
    func replaceOwn(_ old: DistributedInterest?, by new: DistributedInterest?) {
        if old == new { return }
        state.withLock { state in
            for (interest, isThere) in [(old, false), (new, true)] {
                guard let interest else { continue }
                if isThere { state.own.insert(interest) } else { state.own.remove(interest) }
                state.note(interest)
            }
        }
        listener.withLock { $0 }?.call()
    }

    /// Returns the reason why observers of a topic and subject hear nothing from other processes;
    /// nil if they do hear.
    private static func problem(_ topic: Topic, _ subject: Subject) -> String? {
        if !subject.isNone, subject.string == nil {
            return
                "an observer of \(topic), \(subject), hears nothing from other processes: between "
                + "them, the object of a notification is a string"
        }
        // Peers would take longer names or objects for a mistake, and end the connection.
        let (name, object) = (topic.name.utf8.count, subject.string?.utf8.count ?? 0)
        if name <= WireFormat.longestName, object <= WireFormat.longestObject { return nil }
        let what = name > WireFormat.longestName ? "a name of \(name)" : "an object of \(object)"
        return
            "an observer of \(what) bytes hears nothing from other processes: neither names nor objects "
            + "may be longer than \(WireFormat.longestName) there"
    }

    /// The interests of this process's observers, whether the peers have been told of them or not.
    var observed: Set<DistributedInterest> { state.withLock(\.observed) }

    /// The interests that the peers have been told of.
    var told: [DistributedInterest] { Array(toldAndVersion.interests) }

    /// Whether the peers have been told of an observer.
    var hasToldObservers: Bool { state.withLock { !$0.told.allSatisfy(\.isForCenters) } }

    var toldAndVersion: (interests: Set<DistributedInterest>, version: Int) {
        state.withLock { ($0.told, $0.version) }
    }

    /// The number of times that the peers have been told of changes.
    var version: Int { state.withLock(\.version) }

    /// Whether something observes notifications of a name and object, or they still come here. May
    /// be called under the registry's lock: the answer then holds for all observers registered so
    /// far.
    func wants(_ name: String, _ object: String?) -> Bool {
        var wishes = [
            DistributedInterest(name: name, object: nil),
            DistributedInterest(name: nil, object: nil),
        ]
        if let object {
            wishes.append(DistributedInterest(name: name, object: object))
            wishes.append(DistributedInterest(name: nil, object: object))
        }
        return state.withLock { state in
            wishes.contains {
                state.observed.contains($0) || state.told.contains($0) && !state.own.contains($0)
            }
        }
    }

    /// Whether the peers have been told of an interest that has ended since the last call.
    func takeHasEnded() -> Bool {
        state.withLock { state in
            defer { state.hasEnded = false }
            return state.hasEnded
        }
    }

    /// Removes and returns the problems of registrations.
    func takeUnheard() -> [String] {
        state.withLock { state in
            defer { state.unheard.removeAll() }
            return state.unheard
        }
    }

    /// The number of changes that the peers have not been told of.
    var changeCount: Int { state.withLock(\.changed.count) }

    /// Returns the changes that the peers have not been told of. The caller has to tell them now.
    func takeChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        state.withLock { state in
            var changes: [(interest: DistributedInterest, isObserved: Bool)] = []
            for interest in state.changed {
                let isObserved = state.hasToCome(interest)
                if isObserved {
                    state.told.insert(interest)
                } else {
                    state.told.remove(interest)
                    state.hasEnded = true
                }
                changes.append((interest, isObserved))
            }
            // New interests come first: one that takes the place of another leaves no gap.
            changes.sort { $0.isObserved && !$1.isObserved }
            if !changes.isEmpty { state.version += 1 }
            state.changed.removeAll()
            return changes
        }
    }
}
