// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// A process that has come or gone.
struct PeerNews: Sendable {
    let process: String
    let isThere: Bool
    /// The interests of the process, if it has said them.
    var interests: [DistributedInterest]?

    init(process: String, isThere: Bool) {
        self.process = process
        self.isThere = isThere
    }

    init(_ announcement: PeerAnnouncement) {
        process = announcement.id
        isThere = announcement.isLeaving != true
        interests = announcement.interests.map {
            DistributedInterest(name: $0.name, object: $0.object)
        }
    }
}

/// The news of which the center has not been told. Guard: the transport's lock.
struct WaitingPeerNews: Sendable {
    var all: [PeerNews] = []
    /// Whether the connection's thread tells the center of some.
    var isDelivering = false
}
#endif
