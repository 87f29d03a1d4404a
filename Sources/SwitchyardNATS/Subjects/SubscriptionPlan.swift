// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// What to subscribe to so that everything observed comes, and comes once.
///
/// A server sends a message for each subscription that it matches. So no two of these overlap: where
/// the interests do, fewer and wider ones stand for them, and what nobody observes of that finds no
/// observer here.
enum SubscriptionPlan {
    static func cover(_ interests: Set<DistributedInterest>) -> Set<DistributedInterest> {
        let everything = DistributedInterest(name: nil, object: nil)
        let isNamed = interests.contains { $0.name != nil && $0.object == nil }
        let isAboutObject = interests.contains { $0.name == nil && $0.object != nil }
        // A name about whatever, and whatever about an object: a message may be both.
        if interests.contains(everything) || isNamed && isAboutObject { return [everything] }
        return interests.filter { interest in
            guard let name = interest.name, let object = interest.object else { return true }
            return !interests.contains(DistributedInterest(name: name, object: nil))
                && !interests.contains(DistributedInterest(name: nil, object: object))
        }
    }
}
#endif
