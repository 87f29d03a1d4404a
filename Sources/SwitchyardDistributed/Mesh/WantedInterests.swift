// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a peer observes.
struct WantedInterests {
    private(set) var all: Set<DistributedInterest> = []

    /// More would be a peer that means no good.
    private static let limit = 1_000_000

    mutating func insert(_ interest: DistributedInterest) throws {
        if all.count >= Self.limit { throw WireError("more than \(Self.limit) subscriptions") }
        all.insert(interest)
    }

    mutating func remove(_ interest: DistributedInterest) { all.remove(interest) }

    /// Whether the peer observes notifications of this name about this object.
    func match(_ name: String, _ object: String?) -> Bool {
        if all.isEmpty { return false }
        return all.contains(DistributedInterest(name: name, object: nil))
            || all.contains(DistributedInterest(name: nil, object: nil))
            || object != nil
                && (all.contains(DistributedInterest(name: name, object: object))
                    || all.contains(DistributedInterest(name: nil, object: object)))
    }
}
