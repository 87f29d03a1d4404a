// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The answers of other processes to a request of this one, and the processes that are still to
/// answer.
final class RemoteAnswers: Sendable {
    /// The outcome of a process that was asked.
    private enum Outcome: Sendable {
        case done(RequestFrame.Done)
        case gone
    }

    private struct State: Sendable {
        /// The processes that are waited for.
        var waiting: [String: (peer: DistributedPeer, ticket: PostWait.Ticket)] = [:]
        /// The processes that were done before it was known that they had to be waited for.
        var early: [String: Outcome] = [:]
        var isWaiting = false
        /// The number of answers that have come from each process.
        var answers: [String: Int] = [:]
    }

    private let state = Guarded(State())
    /// Takes an answer: decodes it, and hands it over.
    private let takeAnswer: @Sendable (RequestFrame.Answer, DistributedPeer) -> Void
    private let makeTicket: @Sendable () -> PostWait.Ticket

    init<Request: DistributedRequest>(to request: OutgoingRequest<Request>) {
        makeTicket = { request.waitForProcess() }
        takeAnswer = { answer, peer in
            let rank = AnswerRank(
                priority: answer.priority, process: peer.id, sequence: answer.sequence)
            request.take(Self.result(answer, Request.Reply.self, peer), ranked: rank)
        }
    }

    private static func result<Reply: Decodable>(
        _ answer: RequestFrame.Answer, _ type: Reply.Type, _ peer: DistributedPeer
    ) -> Result<Reply, any Error> {
        switch answer.content {
        case .error(let text):
            return .failure(DistributedAnswerError(.threw, by: peer, text))
        case .reply(let data):
            return Result { try data.withUnsafeBytes { try JSONCoding.decode(type, from: $0) } }
                .mapError { error in
                    DistributedAnswerError(
                        .notDecodable, by: peer,
                        "its answer is no \(type), so the two programs differ in the request's type: "
                            + JSONCoding.words(for: error),
                        cause: error)
                }
        }
    }

    /// Waits for the processes that were asked, but for those that are done by now.
    func wait(for result: DistributedAskResult) {
        if result.dropped > 0 {
            let ticket = makeTicket()
            ticket.ended(with: .dropped)
            ticket.end()
        }
        let early = state.withLock { state in
            for peer in result.asked { state.waiting[peer.id] = (peer, makeTicket()) }
            state.isWaiting = true
            defer { state.early = [:] }
            return state.early
        }
        for (process, outcome) in early { end(process, outcome) }
    }

    func take(_ answer: RequestFrame.Answer, from peer: DistributedPeer) {
        state.withLock { $0.answers[peer.id, default: 0] += 1 }
        guard answer.isLast else { return takeAnswer(answer, peer) }
        // The process need not be told that the request is over, but is waited for until its answer
        // was taken.
        let ticket = state.withLock { $0.waiting.removeValue(forKey: peer.id)?.ticket }
        takeAnswer(answer, peer)
        if let ticket {
            ticket.end()
        } else {
            end(peer.id, .done(RequestFrame.Done(with: answer.number)))
        }
    }

    func take(_ done: RequestFrame.Done, from peer: DistributedPeer) { end(peer.id, .done(done)) }

    func processHasGone(_ process: String) { end(process, .gone) }

    private func end(_ process: String, _ outcome: Outcome) {
        let (ended, answers) = state.withLock { state in
            // A process that has answered may end: that it is done counts.
            if !state.isWaiting, state.early[process] == nil { state.early[process] = outcome }
            return (state.waiting.removeValue(forKey: process), state.answers[process] ?? 0)
        }
        guard let (peer, ticket) = ended else { return }
        switch outcome {
        case .gone: ticket.mailboxEnded("\(peer)")
        case .done(let done):
            if let label = done.ended.first { ticket.mailboxEnded("\(label.shown) in \(peer)") }
            // Answers may have been lost on their way, with a connection or in a full queue.
            if done.notAsked > 0 || done.answers > answers { ticket.ended(with: .dropped) }
        }
        ticket.end()
    }

    /// The processes that are waited for.
    var processes: [DistributedPeer] { state.withLock { $0.waiting.values.map(\.peer) } }

    /// Waits for no process any more.
    ///
    /// - Returns: Whether one was waited for.
    @discardableResult
    func endAll() -> Bool {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, ticket) in waiting.values { ticket.end() }
        return !waiting.isEmpty
    }
}
