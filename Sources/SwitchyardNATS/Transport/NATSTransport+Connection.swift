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
        let earlier = try subscriptions.withLock { try $0.begin(session, subjects) }
        withExtendedLifetime(earlier) {}
        try joinPeers(session)
        longestData.store(natsConnection_GetMaxPayload(session.handle), ordering: .relaxed)
    }

    /// Sends what waited.
    func connectionHasBegun(_ session: NATSSession, isFirst: Bool) {
        if !isFirst {
            intake?.report(
                problem:
                    "there is a connection to NATS again: what others posted meanwhile did not come, "
                    + "and is counted when more comes from them")
        }
        greetPeers()
        awaitPeers(session)
        sendHeld(session)
        renewStreams(session)
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
        do {
            let refused = try outbox.withLock { try $0.begin(session) }
            if refused == 0 { return }
            intake?.report(
                DistributedLoss(peer: server, direction: .outgoing, count: UInt64(refused)))
        } catch {
            intake?.report(problem: "what waited for a connection to NATS is lost: \(error)")
        }
        // It may have ended before posts went there.
        if !session.isConnected { outbox.withLock { $0.end(session) } }
    }

    func connectionBroke(_ session: NATSSession) {
        outbox.withLock { $0.end(session) }
        _ = brokeAt.exchange(.now)
        peerTable.withLock { $0.awaitAll() }
        if hasStopped.load(ordering: .acquiring) { return }
        intake?.report(
            problem:
                "the connection to NATS (\(options.servers.joined(separator: ", "))) broke: what "
                + "was under way may be lost; what is posted waits until there is another")
    }

    func connectionHasTrouble(_ text: String) { intake?.report(problem: "NATS: \(text)") }
}
#endif
