// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardDistributed

/// A survey of the other processes of a domain, and of which ones answer.
struct PeerSurvey {
    let present: [DistributedPeerStatus]
    /// The ids of the processes that did not answer in time.
    let silent: Set<String>

    /// Asks all processes, for at most `limit`.
    ///
    /// - Parameter names: processes to wait for. On a cluster, the survey is repeated until they
    ///   are there.
    static func take(
        in center: DistributedNotificationCenter, within limit: TimeLimit,
        awaiting names: [String] = []
    ) async -> PeerSurvey {
        if center.knowsPeers { return await take(in: center, within: limit.duration) }
        // A cluster has no list of its processes, and distant ones take a while to answer.
        let start = ContinuousClock.now
        let end = start + limit.duration
        let earliest = min(end, start + .milliseconds(500))
        while true {
            let survey = await take(in: center, within: end - ContinuousClock.now)
            let areHere = names.allSatisfy { name in
                survey.present.contains { $0.peer.isCalled(name) }
            }
            let now = ContinuousClock.now
            if now >= end || areHere && (!names.isEmpty || now >= earliest) { return survey }
        }
    }

    private static func take(
        in center: DistributedNotificationCenter, within limit: Duration
    ) async -> PeerSurvey {
        let missing = await center.waitUntilReady(within: limit)
        let present = center.peers.sorted {
            ($0.peer.name, $0.peer.processIdentifier) < ($1.peer.name, $1.peer.processIdentifier)
        }
        return PeerSurvey(present: present, silent: Set(missing.map(\.id)))
    }

    func answers(_ status: DistributedPeerStatus) -> Bool { !silent.contains(status.peer.id) }
}
