// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// What becomes of the connection.
extension NATSTransport: NATSConnection.Delegate {
    /// Tells a server what is observed here.
    func connectionBegins(_ session: NATSSession) throws {
        let (earlier, forgets) = subscriptions.withLock { $0.begin(session, subjects) }
        if forgets { inbox.withLock { $0.senders.forgetPlaces() } }
        withExtendedLifetime(earlier) {}
        try joinPeers(session)
        longestData.store(natsConnection_GetMaxPayload(session.handle), ordering: .relaxed)
    }

    /// Sends what waited.
    func connectionHasBegun(_ session: NATSSession, isFirst: Bool) {
        greetPeers()
        awaitPeers(session)
        sendHeld(session)
        renewStreams(session)
        // Last: the hook is the user's.
        if isFirst { return }
        intake?.report(
            problem:
                "there is a connection to NATS again: what others posted meanwhile may have been "
                + "lost, and is counted then when more comes from them")
    }

    /// Waits until those are back whose connection broke with this one's: what waited would not reach
    /// them. They try again at least as often as this process did, so it takes them as long at most.
    private func awaitPeers(_ session: NATSSession) {
        let outage = brokeAt.withLock { $0 }.map { ContinuousClock.now - $0 } ?? .zero
        let end = ContinuousClock.now + min(outage + .milliseconds(250), .seconds(2))
        while ContinuousClock.now < end, self.session === session,
            outbox.withLock({ $0.heldBytes }) > 0, !peerTable.withLock({ $0.awaited.isEmpty })
        {
            usleep(2_000)
        }
        peerTable.withLock { $0.awaitNobody() }
    }

    private func sendHeld(_ session: NATSSession) {
        let refused = outbox.withLock { $0.begin(session) }
        // It may have ended before posts went there.
        if !session.isConnected { outbox.withLock { $0.end(session) } }
        if refused == 0 { return }
        intake?.report(
            DistributedLoss(peer: server, direction: .outgoing, count: UInt64(refused)))
    }

    func connectionBroke(_ session: NATSSession) {
        outbox.withLock { $0.end(session) }
        _ = brokeAt.exchange(.now)
        peerTable.withLock { $0.awaitAll() }
    }

    func connectionTellsBroke() {
        if hasStopped.load(ordering: .acquiring) { return }
        intake?.report(
            problem:
                "the connection to NATS (\(options.servers.joined(separator: ", "))) broke: what "
                + "was under way may be lost; what is posted waits until there is another")
    }

    func connectionHasTrouble(_ text: String) { intake?.report(problem: "NATS: \(text)") }
}
#endif
