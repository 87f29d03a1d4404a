// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// A set of subscriptions by which each observed notification comes, and comes once.
///
/// A server sends a message once for each subscription that it matches, so no two subscriptions of
/// the plan overlap. Fewer and wider subscriptions replace interests that overlap; the
/// notifications that nobody observes then find no observer here.
enum SubscriptionPlan {
    static func cover(_ interests: Set<DistributedInterest>) -> Set<DistributedInterest> {
        let everything = DistributedInterest(name: nil, object: nil)
        let isNamed = interests.contains { $0.name != nil && $0.object == nil }
        let isAboutObject = interests.contains { $0.name == nil && $0.object != nil }
        // A name about any object, and any name about an object: one message may match both.
        if interests.contains(everything) || isNamed && isAboutObject { return [everything] }
        return interests.filter { interest in
            guard let name = interest.name, let object = interest.object else { return true }
            return !interests.contains(DistributedInterest(name: name, object: nil))
                && !interests.contains(DistributedInterest(name: nil, object: object))
        }
    }
}
#endif
