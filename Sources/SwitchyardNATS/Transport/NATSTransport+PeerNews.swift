// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

/// A process that has come or gone.
struct PeerNews: Sendable {
    let process: String
    let isThere: Bool
    /// The interests of the process, if it has said them.
    var interests: [DistributedInterest]?
}

// The announcements of other processes have their groups.
extension NATSTransport: GroupSharingTransport {}

// News of other processes reach the center behind the last notifications that came from them: libnats calls back on a
// thread of its own as soon as it has read an announcement, and the connection's thread delivers what it had read before.
extension NATSTransport {
    /// Has the connection's thread tell the center of a process.
    func tell(_ news: PeerNews) {
        peerNews.withLock { $0.append(news) }
        connection.withLock { $0 }?.wake()
    }

    /// Tells the center what has become known. On the connection's thread, which has delivered all that was read before.
    func deliverPeerNews() {
        guard let intake else { return }
        let news = peerNews.withLock { news in
            defer { news = [] }
            return news
        }
        for news in news {
            if news.isThere {
                intake.hasCome(news.process)
                if let interests = news.interests {
                    intake.hasCome(news.process, wanting: interests)
                }
            } else {
                intake.hasGone(news.process)
            }
        }
    }
}
#endif
