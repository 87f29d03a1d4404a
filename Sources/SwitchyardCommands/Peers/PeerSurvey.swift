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
    /// - Parameters:
    ///   - names: processes to wait for. On a cluster, the survey is repeated until they are there.
    ///   - awaitsInterests: whether to wait also until the processes that answer have said what they
    ///     observe. On a cluster, they do not say so.
    static func take(
        in center: DistributedNotificationCenter, within limit: TimeLimit,
        awaiting names: [String] = [], awaitsInterests: Bool = false
    ) async -> PeerSurvey {
        if center.knowsPeers {
            return await take(
                in: center, within: limit.duration, awaitsInterests: awaitsInterests)
        }
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
        in center: DistributedNotificationCenter, within limit: Duration,
        awaitsInterests: Bool = false
    ) async -> PeerSurvey {
        let end = ContinuousClock.now + limit
        let missing = await center.waitUntilReady(within: limit)
        let silent = Set(missing.map(\.id))
        func hasToSay(_ status: DistributedPeerStatus) -> Bool {
            status.interests == nil && !silent.contains(status.peer.id)
        }
        // The others know this process now, but a long list of one may still be on its way. Polled,
        // because there is no event when it has come.
        while awaitsInterests, ContinuousClock.now < end, center.peers.contains(where: hasToSay) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        let present = center.peers.sorted {
            ($0.peer.name, $0.peer.processIdentifier) < ($1.peer.name, $1.peer.processIdentifier)
        }
        return PeerSurvey(present: present, silent: silent)
    }

    func answers(_ status: DistributedPeerStatus) -> Bool { !silent.contains(status.peer.id) }
}
