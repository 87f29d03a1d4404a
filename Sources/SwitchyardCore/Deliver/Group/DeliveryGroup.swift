// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Observations of a center that share their posts: one of those that match hears each.
final class DeliveryGroup: AnyDeliveryGroup, @unchecked Sendable {
    // Sendable: constant, but for the state, which has its guard.

    private struct State: Sendable {
        var members: [ObjectIdentifier: GroupMember] = [:]
        /// The number of choices and registrations so far.
        var choices: UInt64 = 0
    }

    /// The deliveries on their way from members that have ended to others.
    let moves: GroupMoves
    private let state = Guarded(State())
    /// Told of the members.
    private let watcher: (any GroupWatcher)?

    init(name: String, watcher: (any GroupWatcher)?) {
        self.watcher = watcher
        moves = GroupMoves(of: name)
        super.init(name: name)
    }

    /// Whether deliveries are on their way from one member to another, or to a report.
    var isMoving: Bool {
        moves.isMoving || state.withLock { $0.members.values.contains { $0.arrivals.isMoving } }
    }

    func add(_ member: GroupMember) {
        state.withLock { state in
            // Members that were never chosen come in the order of their registration.
            state.choices += 1
            member.lastChoice.store(state.choices, ordering: .relaxed)
            state.members[ObjectIdentifier(member)] = member
        }
    }

    func tellJoined(_ member: GroupMember) {
        let isTold = state.withLock { state in
            // The observation may have ended already.
            guard state.members[ObjectIdentifier(member)] != nil else { return false }
            member.isTold.store(true, ordering: .relaxed)
            return true
        }
        if isTold { watcher?.memberJoined(name, member.topic, member.subject) }
    }

    func remove(_ member: GroupMember) {
        // Without the lock: the last reference to a subject may run the user's code.
        let removed = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(member)) }
        if removed?.isTold.load(ordering: .relaxed) == true {
            watcher?.memberLeft(name, member.topic, member.subject)
        }
    }

    /// The members that hear a post of a topic and subject, and what they have to do.
    func load(_ topic: Topic, _ subject: Subject) -> GroupLoad {
        // Asked without the lock: the equality of subjects is the user's code.
        let members = state.withLock { Array($0.members.values) }
        return members.reduce(into: GroupLoad()) { load, member in
            guard let observation = member.observation, !observation.isPaused,
                member.hears(topic, subject)
            else { return }
            load.members += 1
            load.deliveries += member.load.load(ordering: .relaxed)
        }
    }

    /// A member that was chosen to hear a post.
    struct Choice {
        let member: GroupMember
        let observation: Observation
        /// The number of the choice: those of earlier posts are smaller.
        let number: UInt64
    }

    /// Chooses the member that hears a post: one that is not paused; of these, the one for which
    /// the fewest deliveries wait or are being made; and of these, the one that was chosen longest
    /// ago. It counts a delivery from now on.
    ///
    /// - Parameters:
    ///   - last: the number of the last registration that hears the post.
    ///   - excluded: the members that are not asked.
    ///   - admits: whether the post fulfils the condition of a member's observation.
    /// - Complexity: O(members of the group).
    func choose(
        _ topic: Topic, _ subject: Subject, before last: UInt64, without excluded: [GroupMember],
        where admits: (Observation) -> Bool
    ) -> Choice? {
        // Asked without the lock: a condition and the equality of subjects are the user's code.
        let candidates = state.withLock { Array($0.members.values) }
            .filter { member in !excluded.contains { $0 === member } }
            .compactMap { member -> (member: GroupMember, observation: Observation)? in
                guard let observation = member.observation, observation.sequence <= last,
                    member.hears(topic, subject), admits(observation)
                else { return nil }
                return (member, observation)
            }
        return state.withLock { state in
            let best = candidates.min { one, other in
                Self.isBetter(one.member, one.observation, other.member, other.observation)
            }
            guard let best else { return nil }
            state.choices += 1
            best.member.load.wrappingAdd(1, ordering: .relaxed)
            best.member.lastChoice.store(state.choices, ordering: .relaxed)
            return Choice(
                member: best.member, observation: best.observation, number: state.choices)
        }
    }

    /// A member that would hear a post if its context had not ended; nil if there is none.
    func unreachable(
        _ topic: Topic, _ subject: Subject, before last: UInt64, where admits: (Observation) -> Bool
    ) -> Observation? {
        for member in state.withLock({ Array($0.members.values) }) {
            if let observation = member.unreachable, observation.sequence <= last,
                member.hears(topic, subject), admits(observation)
            {
                return observation
            }
        }
        return nil
    }

    private static func isBetter(
        _ one: GroupMember, _ observation: Observation, _ other: GroupMember,
        _ otherObservation: Observation
    ) -> Bool {
        let (isPaused, isOtherPaused) = (observation.isPaused, otherObservation.isPaused)
        if isPaused != isOtherPaused { return isOtherPaused }
        let (load, otherLoad) = (
            one.load.load(ordering: .relaxed), other.load.load(ordering: .relaxed)
        )
        if load != otherLoad { return load < otherLoad }
        return one.lastChoice.load(ordering: .relaxed) < other.lastChoice.load(ordering: .relaxed)
    }
}
