// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The interests that are observed in this process, and those that were not observed all the time
/// since the last session.
///
/// A notification that came between two sessions is missing only to an interest that was observed
/// before and after.
struct ObservedInterests {
    private(set) var all: Set<DistributedInterest> = []
    /// The interests that ended, each until it is certain that the server sends nothing more for
    /// it, and those that began between two sessions. All are forgotten with the next session.
    private var lapsed: Set<DistributedInterest> = []

    mutating func begin(_ interest: DistributedInterest, isConnected: Bool) {
        all.insert(interest)
        if !isConnected { lapsed.insert(interest) }
    }

    /// - Parameter isSubscribed: whether a subscription has to be ended too, now or before the next
    ///   session.
    mutating func end(_ interest: DistributedInterest, isSubscribed: Bool) {
        all.remove(interest)
        if isSubscribed { lapsed.insert(interest) }
    }

    /// Notes that an interest's subscription has ended, or serves the interest again.
    mutating func settle(_ interest: DistributedInterest) { lapsed.remove(interest) }

    /// Returns the interests that were observed since the last session, without a pause.
    mutating func beginSession() -> Set<DistributedInterest> {
        defer { lapsed = [] }
        return all.subtracting(lapsed)
    }
}

extension Set<DistributedInterest> {
    /// Returns whether one of the interests includes the notifications of a topic.
    func include(_ topic: ReceivedTopic) -> Bool {
        let names = [topic.name, nil]
        let objects = topic.object.map { [$0, nil] } ?? [nil]
        return names.contains { name in
            objects.contains { contains(DistributedInterest(name: name, object: $0)) }
        }
    }
}
#endif
