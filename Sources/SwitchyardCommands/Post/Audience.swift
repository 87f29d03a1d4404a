// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// Who hears what is posted.
struct Audience {
    private let center: DistributedNotificationCenter
    /// Those that were there before anything was posted.
    private let before: Set<String>

    init(_ center: DistributedNotificationCenter) {
        self.center = center
        before = Set(center.peers.map(\.peer.id))
    }

    /// Those to which it went, once everything has left this process. Empty: nobody heard it. Nil: that
    /// can't be known, because who heard it may have gone, or has not said what it observes.
    var hearers: [DistributedPeer]? {
        let now = center.peers
        let hearers = now.filter { $0.sent > 0 || $0.lost > 0 }.map(\.peer)
        if !hearers.isEmpty { return hearers }
        let isKnown =
            Set(now.map(\.peer.id)) == before && now.allSatisfy { $0.interests != nil }
        return isKnown ? [] : nil
    }

    /// How many other processes are there, for a sentence.
    var others: String {
        let count = center.peers.count
        return count == 1 ? "1 other process is there" : "\(count) other processes are there"
    }
}
