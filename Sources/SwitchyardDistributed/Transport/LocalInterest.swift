// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What this process observes, and what of it the peers have been told.
final class LocalInterest: InterestWatcher {
    private struct State {
        var observed: Set<DistributedInterest> = []
        var told: Set<DistributedInterest> = []
        /// In which of these the two may differ.
        var changed: [DistributedInterest] = []
        /// What was registered for objects that are no strings.
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
        if !subject.isNone, subject.string == nil {
            if isObserved { state.withLock { $0.unheard.append("\(topic), \(subject)") } }
            transport.withLock { $0 }?.interestChanged()
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
            state.changed.append(interest)
        }
        transport.withLock { $0 }?.interestChanged()
    }

    /// What the peers have been told of.
    var told: [DistributedInterest] { state.withLock { Array($0.told) } }

    /// Registrations for objects that are no strings: nothing that other processes could post about.
    func takeUnheard() -> [String] {
        state.withLock { state in
            defer { state.unheard.removeAll() }
            return state.unheard
        }
    }

    /// What they have not been told of yet; they are to be told now.
    func takeChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        state.withLock { state in
            var changes: [(interest: DistributedInterest, isObserved: Bool)] = []
            for interest in state.changed {
                let isObserved = state.observed.contains(interest)
                if isObserved == state.told.contains(interest) { continue }
                if isObserved { state.told.insert(interest) } else { state.told.remove(interest) }
                changes.append((interest, isObserved))
            }
            state.changed.removeAll()
            return changes
        }
    }
}
