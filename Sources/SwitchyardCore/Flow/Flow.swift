// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The priority, the condition, the pacer, the bound and the group of one observation.
// Sendable: as its superclass. The condition is read by threads inside the observation, and
// released by ``release()``, when nobody is inside any more; the rest is constant.
final class Flow: DeliveryFlow, @unchecked Sendable {
    private var condition: DeliveryFilter?
    /// Decides when deliveries are made.
    private let pacer: Pacer?
    /// Decides the number of deliveries that may wait.
    private let bounded: BoundedFlow?
    private let member: GroupMember?
    /// The number of posts that the condition has turned away.
    private let turnedAway = Atomic<UInt64>(0)

    /// Nil when there is nothing special.
    @inline(__always)
    static func make(
        _ options: ObservationOptions, _ mailbox: SharedMailbox?, _ member: GroupMember?
    ) -> Flow? {
        if options.priority == 0, !options.asksForFlow, mailbox?.quota == nil { return nil }
        return Flow(options, mailbox, member)
    }

    private init?(
        _ options: ObservationOptions, _ mailbox: SharedMailbox?, _ member: GroupMember?
    ) {
        self.member = member
        pacer = options.pace.map { Pacer($0) }
        if mailbox == nil {
            bounded = nil
        } else if let bound = options.bound {
            bounded = BoundedFlow(bound)
        } else {
            bounded = mailbox?.quota.map { BoundedFlow($0.bound, sharing: $0) }
        }
        condition = options.filter
        super.init(priority: options.priority, isFiltered: options.filter != nil)
        if priority == 0, condition == nil, pacer == nil, bounded == nil, member == nil {
            return nil
        }
    }

    deinit { member?.leave() }

    override var group: AnyDeliveryGroup? { member?.group }

    override func isRegistered(as observation: Observation) {
        member?.isRegistered(as: observation)
    }

    override func keeps(_ deliveries: PausedDeliveries) { member?.keeps(deliveries) }

    override var filter: DeliveryFilter? { condition }

    override var filtered: UInt64 { turnedAway.load(ordering: .relaxed) }

    override func countFiltered() { turnedAway.wrappingAdd(1, ordering: .relaxed) }

    override var pace: DeliveryPace? { pacer?.pace }

    override var ownBound: DeliveryBound? { bounded?.ownBound }

    override var replaced: UInt64 { bounded?.replaced.load(ordering: .relaxed) ?? 0 }

    override func offer(_ entry: MailEntry, deliver: (consuming MailEntry) -> Void) -> Offer {
        if let pacer { return pacer.offer(entry, deliver: deliver) }
        deliver(entry)
        return .delivered
    }

    override var isPutOff: Bool { pacer?.isPutOff == true || bounded?.givesRoom == true }

    override func deliverPutOff(then: @escaping @Sendable () -> Void) {
        if let pacer { pacer.deliverWaiting(then: then) } else { then() }
    }

    override func queue(
        _ parcel: AnyParcel, to observation: Observation, in mailbox: SharedMailbox,
        for wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        if let bounded {
            bounded.offer(parcel, to: observation, in: mailbox, for: wait, &receipt)
        } else {
            mailbox.enqueue(parcel, to: observation, &receipt)
        }
    }

    override func tellLoss() { bounded?.tellLoss() }

    override func takeForFlush(of observation: Observation) -> AnyParcel? {
        pacer?.takeForFlush(of: observation)
    }

    override var flushes: Int { pacer?.flushes.load(ordering: .relaxed) ?? 0 }

    override func observationEnded() {
        member?.leave()
        pacer?.observationEnded()
        bounded?.observationEnded()
    }

    override func release() {
        condition = nil
        bounded?.release()
    }
}
