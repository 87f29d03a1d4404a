// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// The processes that hear the posts of one run of `post`.
struct Audience {
    private let center: DistributedNotificationCenter
    /// The ids of the processes that were there before anything was posted.
    private let before: Set<String>

    init(_ center: DistributedNotificationCenter) {
        self.center = center
        before = Set(center.peers.map(\.peer.id))
    }

    /// The hearers, as far as they are known.
    struct Result {
        /// See ``Audience/hearers``.
        let hearers: [DistributedPeer]?
        /// See ``Audience/others``.
        let others: String
    }

    /// The processes that have received a post so far.
    var result: Result { Result(hearers: hearers, others: others) }

    /// The processes to which posts went. Complete once everything has left this process. Empty if
    /// nobody heard them; nil if that is unknown, because a process has come or gone, or has not
    /// said what it observes.
    var hearers: [DistributedPeer]? {
        let now = center.peers
        let hearers = now.filter { $0.sent > 0 || $0.lost > 0 }.map(\.peer)
        if !hearers.isEmpty { return hearers }
        let isKnown =
            Set(now.map(\.peer.id)) == before && now.allSatisfy { $0.interests != nil }
        return isKnown ? [] : nil
    }

    /// The number of other processes, in words.
    var others: String {
        let count = center.peers.count
        return count == 1 ? "1 other process is there" : "\(count) other processes are there"
    }
}
