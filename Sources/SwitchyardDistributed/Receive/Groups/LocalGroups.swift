// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The groups of this process, of which the others are told.
final class LocalGroups: GroupWatcher {
    private struct State: Sendable {
        var members: [GroupInterest.Key: Int] = [:]
        /// The interests that the others are told of.
        var told: [GroupInterest.Key: DistributedInterest] = [:]
        /// Whether the center is suspended.
        var isSuspended = false
        /// Whether there are others to be told.
        var isShared = false
    }

    private let interest: LocalInterest
    private let state = Guarded(State())

    init(_ interest: LocalInterest) { self.interest = interest }

    /// Tells the others from now on.
    func share() {
        state.withLock { state in
            state.isShared = true
            interest.addOwn(GroupInterest.choice)
            for key in state.members.keys { tell(key, &state) }
        }
    }

    /// Tells the others that the center is suspended, so that they choose others, or no longer.
    ///
    /// - Parameter change: suspends the center, or ends that, under the lock: the others are told the
    ///   last state also if two threads change it at once.
    func set(isSuspended: Bool, _ change: () -> Void) {
        state.withLock { state in
            change()
            if state.isSuspended == isSuspended { return }
            state.isSuspended = isSuspended
            if !state.isShared { return }
            for key in state.members.keys { tell(key, &state) }
        }
    }

    func memberJoined(_ group: String, _ topic: Topic, _ subject: Subject) {
        change(group, topic, subject, by: 1)
    }

    func memberLeft(_ group: String, _ topic: Topic, _ subject: Subject) {
        change(group, topic, subject, by: -1)
    }

    private func change(_ group: String, _ topic: Topic, _ subject: Subject, by count: Int) {
        guard let key = GroupInterest.Key(group, topic, subject) else { return }
        state.withLock { state in
            let members = (state.members[key] ?? 0) + count
            state.members[key] = members == 0 ? nil : members
            if state.isShared { tell(key, &state) }
        }
    }

    /// Tells the others of the members that hear the same notifications, in place of what they were
    /// told before.
    private func tell(_ key: GroupInterest.Key, _ state: inout State) {
        let members = state.members[key] ?? 0
        let next =
            members > 0
            ? GroupInterest(key, members: members, isSuspended: state.isSuspended).interest : nil
        if members == 1, next == nil {
            interest.addProblem(
                "a member of the group \"\(key.group.prefix(100))\" hears nothing from other processes: the names of "
                    + "the group, the notification and its object are too long together")
        }
        interest.replaceOwn(state.told[key], by: next)
        state.told[key] = next
    }
}
