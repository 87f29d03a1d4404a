// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The interests of a peer.
struct WantedInterests {
    private(set) var all: Set<DistributedInterest> = []

    /// The approximate number of bytes that the interests take.
    private var bytes = 0

    /// The most bytes of interests, about a million interests of usual length. A peer with more is
    /// taken for malicious.
    private static let limit = 128 * 1024 * 1024

    mutating func insert(_ interest: DistributedInterest) throws {
        guard all.insert(interest).inserted else { return }
        bytes += Self.size(of: interest)
        if bytes > Self.limit { throw WireError("subscriptions of more than \(Self.limit) bytes") }
    }

    mutating func remove(_ interest: DistributedInterest) {
        if all.remove(interest) != nil { bytes -= Self.size(of: interest) }
    }

    private static func size(of interest: DistributedInterest) -> Int {
        64 + (interest.name?.utf8.count ?? 0) + (interest.object?.utf8.count ?? 0)
    }

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
