// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
@_spi(Engine) internal import SwitchyardCore

extension Mesh {
    /// Returns the peer as it is known without a question to the system; nil if it has not
    /// introduced itself, and the system was not asked.
    func knownPeer(for peer: DistributedPeer) -> DistributedPeer? {
        guard peer.processName == "?" else { return peer }
        let introduction = introductions.withLock { $0[peer.id] }
        guard let introduction, introduction.isValid(for: peer) else { return nil }
        return introduction.peer
    }

    /// Returns the peer, with the system's information if it has not introduced itself. Called
    /// under no lock. Slow, unless the peer is ``knownPeer(for:)``.
    func identifiedPeer(for peer: DistributedPeer) -> DistributedPeer {
        if let known = knownPeer(for: peer) { return known }
        let process =
            peer.processIdentifier != 0
            ? peer.processIdentifier : network.process(listeningAs: peer.id)
        let identified = DistributedPeer(
            id: peer.id, processIdentifier: process, processName: SystemProcess.name(of: process))
        let introduction = Introduction(peer: identified, time: switchyard_now())
        introductions.withLock { $0[peer.id] = introduction }
        return identified
    }
}
