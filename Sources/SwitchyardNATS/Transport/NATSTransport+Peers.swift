// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
public import SwitchyardDistributed
internal import Synchronization

// Messages between the processes of the domain.
extension NATSTransport {
    /// Subscribes to the messages of other processes on a new session.
    func joinPeers(_ session: NATSSession) throws {
        let subjects = peerTable.withLock { [$0.everybody, $0.subject(of: ownPeer.id)] }
        let subscriptions = try subjects.map {
            try CallbackSubscription($0, on: session) { [weak self] in self?.receivePeerMessage($0)
            }
        }
        let heard = receiveState.withLock { $0.senders.heard }
        let earlier = peerTable.withLock { table in
            defer { table.subscriptions = subscriptions }
            table.doubt(heard, on: session.token)
            return table.subscriptions
        }
        withExtendedLifetime(earlier) {}
    }

    /// Announces this process to all others, and asks them to announce themselves.
    func greetPeers() {
        let (everybody, answer) = peerTable.withLock { ($0.everybody, $0.answerSubject(0)) }
        say(announcement(), to: everybody, answer: answer)
    }

    /// Announces to all others the requests that are answered here.
    func announceAnswers() {
        say(announcement(), to: peerTable.withLock { $0.everybody }, answer: nil)
    }

    /// Ends the questions to others and the answers to theirs, because this process leaves.
    func endQuestions() {
        let (open, ended) = peerTable.withLock { table in
            defer { table.subscriptions = [] }
            table.hasLeft = true
            return (table.takeAllQuestions(), table.subscriptions)
        }
        for answer in open { answer(nil) }
        withExtendedLifetime(ended) {}
    }

    /// Announces to all others that this process leaves. They expect nothing more from it.
    func sayGoodbye() {
        let everybody = peerTable.withLock { $0.everybody }
        say(announcement(isLeaving: true), to: everybody, answer: nil)
    }

    private func announcement(withOthers: Bool = false, isLeaving: Bool? = nil) -> PeerAnnouncement
    {
        let (interests, version) = subscriptions.withLock { subscriptions in
            // One that says more has the larger number, whichever is sent first.
            subscriptions.announcements += 1
            return (subscriptions.observed, subscriptions.announcements)
        }
        let published = publishQueue.withLock { $0.published }
        return PeerAnnouncement(
            ownPeer, interests: interests, published: published,
            others: withOthers ? others() : nil, isLeaving: isLeaving,
            keeps: knowsStream ? true : nil, version: version)
    }

    private func others() -> [PeerAnnouncement.Other] {
        peers.map { status in
            PeerAnnouncement.Other(
                id: status.peer.id, process: status.peer.processIdentifier,
                name: status.peer.processName, received: status.received, missed: status.missed)
        }
    }

    /// Sends an announcement.
    ///
    /// - Parameter answer: the subject for answers; nil if none is expected.
    private func say(_ announcement: PeerAnnouncement, to subject: String, answer: String?) {
        guard !isForked, let session, let handle = session.handle else { return }
        if announcement.isLeaving != true, peerTable.withLock({ $0.hasLeft }) { return }
        // The session, which owns the handle, must live until the call has returned.
        defer { withExtendedLifetime(session) {} }
        announcement.bytes.withUnsafeBytes { bytes in
            let (start, count) = (bytes.baseAddress, Int32(bytes.count))
            let status =
                if let answer {
                    natsConnection_PublishRequest(handle, subject, answer, start, count)
                } else {
                    natsConnection_Publish(handle, subject, start, count)
                }
            if status == NATS_MAX_PAYLOAD, let shorter = announcement.shorter {
                say(shorter, to: subject, answer: answer)
            }
        }
    }

    // MARK: - Announcements of others

    /// Handles a message for this process or for all, and answers it. Called on a thread of
    /// libnats.
    private func receivePeerMessage(_ message: OpaquePointer) {
        let event = IncomingEvent(message)
        let subject = event.subject.map { String(cString: $0) } ?? ""
        if jetStream.receive(subject, event) { return }
        let announcement = PeerAnnouncement(event.data)
        let hasGone = natsMsg_IsNoResponders(message)
        let (answer, asked) = peerTable.withLock {
            table -> ((@Sendable (PeerAnnouncement?) -> Void)?, [String]) in
            if let announcement, table.receive(announcement) { tell(PeerNews(announcement)) }
            let number = table.number(ofAnswer: subject)
            return (number.flatMap { table.take(question: $0) }, table.beginRollCall())
        }
        if !asked.isEmpty { callRoll(asked) }
        if announcement?.keeps == true { findAnnouncedStream() }
        if let answer { return answer(hasGone ? nil : announcement) }
        guard let reply = natsMsg_GetReply(message) else { return }
        let isQuestion = subject.hasSuffix(".ask")
        say(self.announcement(withOthers: isQuestion), to: String(cString: reply), answer: nil)
    }

    // MARK: - Questions

    /// The result of a question to a process.
    private enum Outcome {
        case answered(PeerAnnouncement)
        /// The process has gone: the server has no subscriber for the question.
        case gone
        case silent
    }

    /// Sends a question to a process.
    ///
    /// - Parameter answer: called once, with the announcement, or with nil if the process has gone.
    /// - Returns: The question's number, with which the question has to be ended.
    func ask(_ id: String, _ answer: @escaping @Sendable (PeerAnnouncement?) -> Void) -> UInt64 {
        let (number, question, reply) = peerTable.withLock { table in
            let number = table.add(question: answer)
            return (number, table.questionSubject(of: id), table.answerSubject(number))
        }
        say(announcement(), to: question, answer: reply)
        return number
    }

    func endQuestion(_ number: UInt64) { _ = peerTable.withLock { $0.take(question: number) } }

    /// Notes that a process has gone: the server had no subscriber for a question to it.
    func noteGone(_ id: String) {
        peerTable.withLock { table in
            table.forget(id)
            tell(PeerNews(process: id, isThere: false))
        }
    }

    /// Asks a process for an announcement.
    private func ask(_ id: String, within limit: Duration) async -> Outcome {
        guard PeerAnnouncement.isID(id) else { return .gone }
        let (answers, answer) = AsyncStream.makeStream(of: Outcome.self)
        let number = ask(id) { announcement in
            answer.yield(announcement.map { .answered($0) } ?? .gone)
            answer.finish()
        }
        let limit = WaitLimit(after: limit) {
            answer.yield(.silent)
            answer.finish()
        }
        defer {
            limit.cancel()
            endQuestion(number)
        }
        for await outcome in answers {
            if case .gone = outcome { noteGone(id) }
            return outcome
        }
        return .silent
    }

    /// Asks a process for an answer, and measures the time.
    ///
    /// - Returns: The time until the answer; nil when none came in time. If the process has gone,
    ///   returns nil at once.
    public func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? {
        let start = switchyard_now()
        guard case .answered = await ask(peer.id, within: limit) else { return nil }
        return .nanoseconds(Int64(switchyard_now() - start))
    }

    /// Asks a process for the processes from which it has received notifications, and for the
    /// numbers it received and missed.
    public func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? {
        guard case .answered(let announcement) = await ask(peer.id, within: limit) else {
            return nil
        }
        return (announcement.others ?? []).map { other in
            DistributedPeerStatus(
                peer: DistributedPeer(
                    id: other.id, processIdentifier: other.process, processName: other.name),
                interests: nil, received: other.received, missed: other.missed)
        }
    }

    /// The processes that have announced themselves since this one connected, and have not left. A
    /// process that was killed stays in the list until it is asked something. Only the servers know
    /// which notifications go to which process.
    public var peers: [DistributedPeerStatus] {
        let known = peerTable.withLock { Array($0.known.values) }
        return receiveState.withLock { state in
            known.sorted { $0.id < $1.id }.map { announcement in
                let counts = UInt64(announcement.id, radix: 16).map {
                    state.senders.counts(of: $0)
                }
                return DistributedPeerStatus(
                    peer: announcement.peer,
                    interests: announcement.interests.map {
                        DistributedInterest(name: $0.name, object: $0.object)
                    }.filter { !$0.isForCenters },
                    received: counts?.received ?? 0, missed: counts?.missed ?? 0)
            }
        }
    }

    /// Asks processes whether they are still there. Those that have gone are forgotten.
    private func callRoll(_ processes: [String]) {
        Task { [weak self] in
            for id in processes {
                guard let self, !self.hasStopped.load(ordering: .relaxed) else { return }
                _ = await ask(id, within: .seconds(1))
            }
            self?.peerTable.withLock { $0.endRollCall() }
        }
    }
}
#endif
