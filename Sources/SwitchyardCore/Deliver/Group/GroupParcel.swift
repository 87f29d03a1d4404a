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
    /// The stage of the delivery; see ``Stage``.
    private let stage = Atomic<Stage>(.waiting)

    /// A delivery that waits may be moved by one thread while another is about to make it.
    private enum Stage: UInt8, AtomicRepresentable {
        case waiting
        /// The handler is being called.
        case called
        /// The delivery was made, or has gone to another member.
        case over
    }
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
        guard begins() else { return .uncounted }
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        let outcome = try parcel.callHandler(handler)
        ended(outcome)
        return outcome
    }

    /// Notes that the handler is about to be called.
    ///
    /// - Returns: False if the delivery has moved on.
    private func begins() -> Bool {
        stage.compareExchange(expected: .waiting, desired: .called, ordering: .relaxed).exchanged
    }

    private func ended(_ outcome: DeliveryOutcome) {
        let movesOn = outcome == .expired || outcome == .tooLate
        stage.store(movesOn ? .waiting : .over, ordering: .relaxed)
        if movesOn { moveInOrder() }
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        return { [self] in
            guard begins() else { return .uncounted }
            let outcome = try await work()
            ended(outcome)
            return outcome
        }
    }

    // MARK: - The end of the member

    override func observationEnded() { moveInOrder() }

    override func observerDied() { moveInOrder() }

    override func moveOn(before number: UInt64) { if self.number < number { moveOn() } }

    /// Moves on, behind earlier deliveries that a pause still keeps: another thread may be about to
    /// have those move, and this one.
    private func moveInOrder() {
        if stage.load(ordering: .relaxed) != .waiting { return }
        // With this one, if a turn has it in hand: under the lock of what is kept, so that no other
        // thread passes it by between its two steps.
        member.moveKept(before: number + 1)
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
        let (waited, _) = stage.compareExchange(
            expected: .waiting, desired: .over, ordering: .relaxed)
        endCount()
        // Otherwise another member gets it, or the handler was called.
        if waited { parcel.threadEnded() }
    }

    override func wasDisplaced() {
        let (waited, _) = stage.compareExchange(
            expected: .waiting, desired: .over, ordering: .relaxed)
        // Otherwise another member gets it.
        if !waited { return }
        endCount()
        parcel.wasDisplaced()
    }

    // The parcel inside may be another member's by now.
    override func wasDiscarded() {}

    /// Has another member get the delivery, if it still waits.
    private func moveOn() {
        let (waited, _) = stage.compareExchange(
            expected: .waiting, desired: .over, ordering: .relaxed)
        if !waited { return }
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

    /// Makes the move.
    ///
    /// - Returns: The center that is to be told if no member is left, and no post waits.
    func make() -> ObservationOwner? {
        let next = from.group.choose(topic, subject, before: .max, without: [from]) { observation in
            observation.isWanted { parcel.admits($0, for: observation.handler) }
        }
        guard let next else {
            return parcel.mailboxEnded(GroupLabel.label(of: from.group.name)) ? nil : owner
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
                return nil
            }
        }
        return nil
    }
}
