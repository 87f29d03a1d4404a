// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for the member of a group that was chosen to hear a post. If the member ends before the delivery is
/// made, another is chosen.
final class GroupParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is constant or atomic.
    private let parcel: AnyParcel
    private let member: GroupMember
    private let topic: Topic
    private let subject: Subject
    /// Whether the delivery needs no other member: it was made, or given up.
    private let isOver = Atomic<Bool>(false)

    /// - Parameter member: the member that was chosen, which counts the delivery.
    init(_ parcel: AnyParcel, for member: GroupMember, _ topic: Topic, _ subject: Subject) {
        self.parcel = parcel
        self.member = member
        self.topic = topic
        self.subject = subject
        super.init(objectIsGone: parcel.objectIsGone)
    }

    deinit {
        member.load.wrappingSubtract(1, ordering: .relaxed)
        if !isOver.load(ordering: .acquiring) { moveOn() }
    }

    /// Delivers to another member.
    private func moveOn() {
        let next = member.group.choose(topic, subject, without: [member]) { observation in
            guard let filter = observation.flow?.filter else { return true }
            return observation.whileInside { parcel.admits(filter, for: observation.handler) }
                ?? false
        }
        guard let (member, observation) = next else {
            parcel.mailboxEnded("the group \"\(member.group.name)\"")
            return
        }
        let moved = GroupParcel(parcel, for: member, topic, subject)
        guard let mailbox = observation.mailbox else {
            moved.deliver(to: observation)
            return
        }
        _ = observation.whileInside {
            var receipt = PostReceipt()
            // The post has its receipt, which calls the delivery queued.
            observation.queue(moved, mailbox, for: PostWait(.nothing), &receipt)
            // Lost, as a delivery that the member's bound did not let in at first.
            if receipt.dropped + receipt.refused > receipt.queued { moved.wasNotQueued() }
        }
    }

    override func deliver(to handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        isOver.store(true, ordering: .releasing)
        let outcome = try parcel.deliver(to: handler)
        if outcome == .expired { isOver.store(false, ordering: .releasing) }
        return outcome
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        isOver.store(true, ordering: .releasing)
        let work = try parcel.work(for: handler)
        return { [self] in
            let outcome = try await work()
            if outcome == .expired { isOver.store(false, ordering: .releasing) }
            return outcome
        }
    }

    override func key(
        _ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> AnyHashable? {
        parcel.key(key, for: handler)
    }

    override func admits(
        _ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Bool {
        parcel.admits(filter, for: handler)
    }

    // Another member gets the delivery: it does not end with the mailbox, nor with the observer.
    override func mailboxIsEnding() -> Int { -1 }

    override func mailboxEnded(_ label: String) -> Bool { true }

    override func wasNotQueued() {
        isOver.store(true, ordering: .releasing)
        parcel.wasNotQueued()
    }

    override func wasDisplaced() {
        isOver.store(true, ordering: .releasing)
        parcel.wasDisplaced()
    }
}
