// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// The news that a process has gone reaches the center behind the last notifications that came from
// it: libnats calls back on a thread of its own as soon as it has read an announcement, and the
// connection's thread delivers what it had read before. The news that a process has come reaches it
// at once, before what it sends.
extension NATSTransport {
    /// Tells the center of a process that has come, or has the connection's thread tell of one that
    /// has gone. Called in the order of the news.
    func tell(_ news: PeerNews) {
        let isWaiting = peerNews.withLock { waiting in
            if news.isThere, waiting.all.isEmpty, !waiting.isDelivering {
                deliver(news)
                return false
            }
            waiting.all.append(news)
            return true
        }
        if isWaiting { connection.withLock { $0 }?.wake() }
    }

    /// Tells the center what waits. On the connection's thread, which has delivered all that was
    /// read before.
    func deliverPeerNews() {
        while true {
            let news = peerNews.withLock { waiting in
                defer { waiting.all = [] }
                waiting.isDelivering = !waiting.all.isEmpty
                return waiting.all
            }
            if news.isEmpty { return }
            for news in news { deliver(news) }
        }
    }

    private func deliver(_ news: PeerNews) {
        guard let intake else { return }
        if !news.isThere { return intake.hasGone(news.process) }
        intake.hasCome(news.process)
        if let interests = news.interests { intake.hasCome(news.process, wanting: interests) }
    }
}
#endif
