// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for the member of a group that was chosen to hear a post. If the member ends before the
/// delivery is made, another is chosen.
final class GroupParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is constant or atomic.
    private let member: GroupMember
    /// The number of the member's choice.
    private let number: UInt64
    private let owner: ObservationOwner
    private let topic: Topic
    private let subject: Subject
    /// Keeps an instance's address from being reused while the delivery may still move on.
    private let pin: Pin
    /// Whether the delivery was made, or has gone to another member.
    private let isOver = Atomic<Bool>(false)
    /// Whether the member counts the delivery.
    private let isCounted = Atomic<Bool>(true)

    /// - Parameters:
    ///   - choice: the member that was chosen, and counts the delivery from then on.
    ///   - pin: of the subject.
    init(
        _ parcel: AnyParcel, for choice: DeliveryGroup.Choice, _ topic: Topic, _ subject: Subject,
        pinned pin: Pin
    ) {
        member = choice.member
        number = choice.number
        self.topic = topic
        self.subject = subject
        owner = choice.observation.owner
        self.pin = pin
        super.init(around: parcel)
    }

    deinit { endCount() }

    private func endCount() {
        if isCounted.exchange(false, ordering: .relaxed) {
            member.load.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        let outcome = try parcel.callHandler(handler)
        if outcome == .expired { moveOn() } else { isOver.store(true, ordering: .relaxed) }
        return outcome
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        return { [self] in
            let outcome = try await work()
            if outcome == .expired { moveOn() } else { isOver.store(true, ordering: .relaxed) }
            return outcome
        }
    }

    // MARK: - The end of the member

    override func observationEnded() { moveInOrder() }

    override func observerDied() { moveInOrder() }

    override func moveOn(before number: UInt64) { if self.number < number { moveOn() } }

    /// Moves on, behind earlier deliveries that a pause still keeps: another thread may be about to
    /// have those move.
    private func moveInOrder() {
        member.moveKept(before: number)
        moveOn()
    }

    // The mailbox counts 1 for the entry; this takes it off again, because the delivery moves to
    // another member.
    override func mailboxIsEnding() -> Int { -1 }

    override var movesOn: Bool { true }

    override func mailboxEnded(_ label: String) -> Bool {
        moveOn()
        return true
    }

    override func threadEnded() {
        endCount()
        parcel.threadEnded()
    }

    override func wasDisplaced() {
        isOver.store(true, ordering: .relaxed)
        endCount()
        parcel.wasDisplaced()
    }

    // The parcel inside may be another member's by now.
    override func wasDiscarded() {}

    /// Has another member get the delivery.
    private func moveOn() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        let move = GroupMove(
            parcel: parcel, from: member, owner: owner, topic: topic, subject: subject,
            pin: pin)
        member.group.moves.add { move.make() }
    }
}

extension GroupParcel: EndsWithThread {
    /// The handler has ended its thread, which leaves the last reference to this behind.
    func threadEnds() { endCount() }
}

/// A delivery on its way from a member of a group that has ended to another.
private struct GroupMove: Sendable {
    let parcel: AnyParcel
    let from: GroupMember
    let owner: ObservationOwner
    let topic: Topic
    let subject: Subject
    let pin: Pin

    func make() {
        let next = from.group.choose(topic, subject, before: .max, without: [from]) { observation in
            observation.isWanted { parcel.admits($0, for: observation.handler) }
        }
        guard let next else {
            let group = "the group \"\(from.group.name)\""
            if !parcel.mailboxEnded(group) {
                owner.report(.undeliverable(mailbox: group, count: 1))
            }
            return
        }
        let (member, observation) = (next.member, next.observation)
        let moved = GroupParcel(parcel, for: next, topic, subject, pinned: pin)
        parcel.moved(to: observation)
        if let mailbox = observation.mailbox {
            var receipt = PostReceipt()
            // The post has its receipt, which calls the delivery queued: a bound does not lose it
            // now.
            mailbox.enqueue(moved, to: observation, &receipt)
        } else {
            member.arrivals.add {
                if !observation.keepsInPause(moved) { moved.deliver(to: observation) }
            }
        }
    }
}
