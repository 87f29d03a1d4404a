// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What this process observes, and what of it the peers have been told.
final class LocalInterest: InterestWatcher {
    private struct State {
        var observed: Set<DistributedInterest> = []
        var told: Set<DistributedInterest> = []
        /// In which of these the two differ.
        var changed: Set<DistributedInterest> = []
        /// How often `told` has changed.
        var version = 0
        /// What is wrong with registrations that other processes can't reach.
        var unheard: [String] = []
    }

    // Taken under the registry's lock: nothing else is taken inside.
    private let state = Guarded(State())
    private let transport = Guarded<(any DistributedTransport)?>(nil)

    /// Has `transport` told of changes.
    func connect(_ transport: (any DistributedTransport)?) {
        _ = self.transport.exchange(transport)
    }

    func interestChanged(_ topic: Topic, _ subject: Subject, isObserved: Bool) {
        guard topic.isName || topic.isAnyName else { return }
        if let problem = Self.problem(topic, subject) {
            // Without a transport nobody asks for it, and no observer is reached anyway.
            guard isObserved, let transport = transport.withLock({ $0 }) else { return }
            state.withLock { $0.unheard.append(problem) }
            transport.interestChanged()
            return
        }
        let interest = DistributedInterest(
            name: topic.isAnyName ? nil : topic.name, object: subject.string)
        state.withLock { state in
            if isObserved {
                state.observed.insert(interest)
            } else {
                state.observed.remove(interest)
            }
            // No more than that, however long nobody asks: observers may come and go.
            if isObserved == state.told.contains(interest) {
                state.changed.remove(interest)
            } else {
                state.changed.insert(interest)
            }
        }
        transport.withLock { $0 }?.interestChanged()
    }

    /// Why observers of this hear nothing from other processes; nil: they do.
    private static func problem(_ topic: Topic, _ subject: Subject) -> String? {
        if !subject.isNone, subject.string == nil {
            return
                "an observer of \(topic), \(subject), hears nothing from other processes: between "
                + "them, the object of a notification is a string"
        }
        // Peers would take it for a mistake, and end the connection.
        let (name, object) = (topic.name.utf8.count, subject.string?.utf8.count ?? 0)
        if name <= WireFormat.longestName, object <= WireFormat.longestObject { return nil }
        let what = name > WireFormat.longestName ? "a name of \(name)" : "an object of \(object)"
        return
            "an observer of \(what) bytes hears nothing from other processes: neither names nor objects "
            + "may be longer than \(WireFormat.longestName) there"
    }

    /// What the peers have been told of.
    var told: [DistributedInterest] { Array(toldAndVersion.interests) }

    var toldAndVersion: (interests: Set<DistributedInterest>, version: Int) {
        state.withLock { ($0.told, $0.version) }
    }

    /// Another one than before when the peers have been told of changes since.
    var version: Int { state.withLock(\.version) }

    /// What is wrong with registrations since this was asked last.
    func takeUnheard() -> [String] {
        state.withLock { state in
            defer { state.unheard.removeAll() }
            return state.unheard
        }
    }

    /// How many they have not been told of yet.
    var changeCount: Int { state.withLock(\.changed.count) }

    /// What they have not been told of yet; they are to be told now.
    func takeChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        state.withLock { state in
            var changes: [(interest: DistributedInterest, isObserved: Bool)] = []
            for interest in state.changed {
                let isObserved = state.observed.contains(interest)
                if isObserved { state.told.insert(interest) } else { state.told.remove(interest) }
                changes.append((interest, isObserved))
            }
            if !changes.isEmpty { state.version += 1 }
            state.changed.removeAll()
            return changes
        }
    }
}
