// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The membership of one observation in a group.
final class GroupMember: Sendable {
    let group: DeliveryGroup
    let topic: Topic
    let subject: Subject
    /// The number of deliveries that wait for this member or are being made.
    let load = Atomic<Int>(0)
    /// The number of the last choice of this member, or of its registration. Guard for writing: the
    /// group's state.
    let lastChoice = Atomic<UInt64>(0)
    /// Whether those who watch the group were told of the member. Guard for writing: the group's
    /// state.
    let isTold = Atomic<Bool>(false)
    /// The deliveries that have moved here and are made by a task, because the member has no
    /// mailbox: beside the moves of the group, which a handler must not hold up.
    let arrivals: GroupMoves
    private let reference = Guarded<WeakReference<Observation>?>(nil)
    /// The deliveries that pauses keep; nil if there was no pause.
    private let paused = Guarded<WeakReference<PausedDeliveries>?>(nil)

    init(of group: DeliveryGroup, _ topic: Topic, _ subject: Subject) {
        self.group = group
        arrivals = GroupMoves(of: group.name)
        self.topic = topic
        self.subject = subject
    }

    /// The observation, if it is there and may hear something.
    var observation: Observation? {
        guard let observation = reference.withLock({ $0 })?.object, !observation.isCancelled,
            observation.mailbox?.hasEnded != true
        else { return nil }
        return observation
    }

    /// The observation, if it is there, and can't hear anything because its context has ended.
    var unreachable: Observation? {
        guard let observation = reference.withLock({ $0 })?.object, !observation.isCancelled,
            observation.mailbox?.isClosed == true
        else { return nil }
        return observation
    }

    /// Makes the member a part of its group, before its observation is registered. Until then, it
    /// hears nothing.
    func join(with observation: Observation) {
        observation.state.bitwiseOr(Observation.State.grouped, ordering: .relaxed)
        group.add(self)
    }

    /// Gives the member its observation, which has got its number.
    func isRegistered(as observation: Observation) {
        _ = reference.exchange(WeakReference(observation))
    }

    /// Tells those who watch the group that the member hears posts from now on.
    func tellJoined() { group.tellJoined(self) }

    /// Takes note of the store of the deliveries that pauses keep.
    func keeps(_ deliveries: PausedDeliveries) {
        _ = paused.exchange(WeakReference(deliveries))
    }

    /// Has others get the deliveries that a pause keeps and that were given to this member before
    /// the choice `number`, because the member has ended.
    func moveKept(before number: UInt64) {
        paused.withLock { $0 }?.object?.moveOn(before: number)
    }

    /// Ends the membership, with the observation.
    func leave() { group.remove(self) }

    /// Whether it hears posts of this topic and subject.
    func hears(_ topic: Topic, _ subject: Subject) -> Bool {
        self.topic.hears(topic) && (self.subject.isNone || self.subject == subject)
    }
}

extension GroupMember: EndsWithThread {
    /// A handler has ended the thread of a post that had chosen this member: the delivery is over.
    func threadEnds() { load.wrappingSubtract(1, ordering: .relaxed) }
}
