// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// The other processes of a domain.
struct Roll {
    let present: [DistributedPeerStatus]
    /// Those that said nothing in time.
    let silent: Set<String>

    /// Calls the roll, for at most `limit`.
    static func call(
        in center: DistributedNotificationCenter, within limit: TimeLimit
    ) async -> Roll {
        let missing = await center.ready(within: limit.duration)
        let present = center.peers.sorted {
            ($0.peer.name, $0.peer.processIdentifier) < ($1.peer.name, $1.peer.processIdentifier)
        }
        return Roll(present: present, silent: Set(missing.map(\.id)))
    }

    func answers(_ status: DistributedPeerStatus) -> Bool { !silent.contains(status.peer.id) }
}
