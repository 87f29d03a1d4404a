// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// The events of the connection.
extension NATSTransport: NATSConnection.Delegate {
    /// Subscribes to the observed subjects on a new session.
    func willActivate(_ session: NATSSession) throws {
        refusals.withLock { $0.beginSession() }
        let (earlier, lasting) = subscriptions.withLock { $0.begin(session, subjects) }
        receiveState.withLock { $0.senders.forgetSequences { !lasting.include($0) } }
        withExtendedLifetime(earlier) {}
        try joinPeers(session)
        longestData.store(natsConnection_GetMaxPayload(session.handle), ordering: .relaxed)
    }

    /// Sends the posts that waited for a connection.
    func didActivate(_ session: NATSSession, isFirst: Bool) {
        if !isFirst { giveUpAcks() }
        // Before the connection's thread runs, nothing is read, and an answer could not come.
        if hasStarted.load(ordering: .sequentiallyConsistent) { findStream(session) }
        greetPeers()
        awaitPeers(session)
        sendHeld(session)
        renewDurables()
        if isFirst || hasStopped.load(ordering: .sequentiallyConsistent) { return }
        intake?.connectionIsBack()
        BlockingThread.run("sw-nats-doubts") { [self] in settleDoubts(session) }
        // Reported last, because the hook is the user's code.
        intake?.report(
            problem:
                "there is a connection to NATS again: what others posted meanwhile may have been "
                + "lost, and is counted then when more comes from them")
    }

    /// Waits until the processes whose connections broke together with this one have connected
    /// again; posts that waited here would not reach them before. Their pauses between attempts are
    /// at most as long as the outage. On a busy machine, connecting takes a moment after the pause.
    /// A transport that leaves waits for nobody.
    private func awaitPeers(_ session: NATSSession) {
        let end = ContinuousClock.now + timeToConnect
        while ContinuousClock.now < end, self.session === session,
            publishQueue.withLock({ $0.heldBytes }) > 0,
            !peerTable.withLock({ $0.awaited.isEmpty || $0.hasLeft })
        {
            usleep(2_000)
        }
        peerTable.withLock { $0.awaitNobody(on: session.token) }
    }

    /// The time in which processes whose connections broke together with this one connect again.
    private var timeToConnect: Duration {
        let outage = brokeAt.withLock { $0 }.map { ContinuousClock.now - $0 } ?? .zero
        return min(outage, options.longestReconnectPause) + Self.connecting
    }

    /// The time that a process may need to connect on a busy machine. A process that has gone is
    /// waited for as well, once.
    private static var connecting: Duration { .seconds(5) }

    /// Reports a loss of unknown size for each process that was heard before the break and is not
    /// back in time. Only its next notification could tell how many are missing, and none may come.
    /// Blocks.
    private func settleDoubts(_ session: NATSSession) {
        let end = ContinuousClock.now + timeToConnect
        var nextQuestions = ContinuousClock.now + .seconds(1)
        var questions: [UInt64] = []
        defer { for number in questions { endQuestion(number) } }
        while isCurrent(session), peerTable.withLock({ $0.hasDoubts(on: session.token) }) {
            if ContinuousClock.now >= end { break }
            // Servers of a cluster that have just found each other may not have passed on the
            // greeting. Each process that is missing is asked alone: all others would answer
            // another greeting, and all processes wait for the missing one.
            if ContinuousClock.now >= nextQuestions {
                for number in questions { endQuestion(number) }
                questions = peerTable.withLock { $0.doubted(on: session.token) }.map {
                    ask($0) { _ in }
                }
                nextQuestions = ContinuousClock.now + .seconds(1)
            }
            usleep(10_000)
        }
        if !isCurrent(session) || isHiddenFromPeers
            || subscriptions.withLock({ $0.observed.isEmpty })
        {
            return
        }
        for peer in peerTable.withLock({ $0.takeDoubts(on: session.token) }) {
            intake?.report(
                DistributedLoss(
                    peer: peer, direction: .incoming, count: 0,
                    reason: "the connection to NATS broke, and it has not come back since"))
        }
    }

    private func isCurrent(_ session: NATSSession) -> Bool {
        self.session === session && !hasStopped.load(ordering: .sequentiallyConsistent)
    }

    private func sendHeld(_ session: NATSSession) {
        let refused = publishQueue.withLock { $0.begin(session) }
        // The session may have ended before the queue used it.
        if !session.isConnected { publishQueue.withLock { $0.end(session) } }
        if refused == 0 { return }
        noteRefused(refused)
        intake?.report(
            DistributedLoss(
                peer: server, direction: .outgoing, count: UInt64(refused),
                reason: "they were posted without a connection, and the server that there is now "
                    + "does not take them: it allows shorter messages (max_payload)"))
    }

    /// Stops using a session that has ended.
    func didDisconnect(_ session: NATSSession) {
        publishQueue.withLock { $0.end(session) }
        _ = brokeAt.exchange(.now)
        interruptDurables()
        jetStream.endRequests()
        peerTable.withLock { $0.awaitAll(sinceBreakOf: session.token) }
    }

    // MARK: - Durable observers

    /// Ends durable observers for good. Once nobody is subscribed, another process may take their names, and
    /// gets everything that has no answer.
    func endDurables() {
        // First: a keeper that begins again at this moment looks at it when it has begun.
        durablesHaveEnded.store(true, ordering: .sequentiallyConsistent)
        for observer in durables.exchange(DurableObservers()).all {
            observer.interrupt()
            observer.wake()
        }
    }

    /// Stops calling durable observers' handlers until there is a connection again.
    private func interruptDurables() {
        for observer in durables.withLock(\.all) { observer.interrupt() }
    }

    /// Makes durable observers subscribe again.
    private func renewDurables() {
        for observer in durables.withLock(\.all) { observer.wake() }
    }

    // MARK: - Reports

    /// Reports that the connection broke.
    ///
    /// - Parameter reason: the server's words; nil if it said nothing.
    func reportDisconnect(_ reason: String?) {
        // Leaving tells of the posts that were under way.
        if hasStopped.load(ordering: .acquiring) { return }
        publishQueue.withLock { $0.settleBreak() }
        let cause = reason.map { "; the server ended it: \(options.withoutSecrets($0))" } ?? ""
        intake?.report(
            problem:
                "the connection to NATS (\(options.serverNames)) broke: what "
                + "was under way may be lost; posts wait until there is another" + cause)
    }

    /// Reports a failure of the connection.
    func didFail(_ text: String) {
        intake?.report(problem: "NATS: \(options.withoutSecrets(text))")
    }
}
#endif
