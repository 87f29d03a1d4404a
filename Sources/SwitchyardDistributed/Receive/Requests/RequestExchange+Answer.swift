// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

// Requests of other processes.
extension RequestExchange {
    /// Asks a request of another process here. Those whose handlers run on the calling thread
    /// answer before this returns.
    func ask(_ frame: RequestFrame.Ask, named name: String, from peer: DistributedPeer) {
        let key = RequestKey(process: peer.id, number: frame.number)
        let askers = state.withLock { $0.askers[name] } ?? []
        guard !askers.isEmpty else {
            // No request of this name was ever answered here. It arrives because something here
            // observes any name.
            return end(key, RequestFrame.Done(with: frame.number))
        }
        let request = RemoteRequest(frame.number, parts: askers.count) { [weak self] in
            self?.end(key, $0)
        }
        let isNew = state.withLock { state in
            if state.incoming[key] != nil { return false }
            state.incoming[key] = request
            return true
        }
        guard isNew else { return }
        for asker in askers {
            if request.isEnded {
                request.isOver(IncomingRequest.End())
            } else {
                ask(frame, asker, request, name, peer)
            }
        }
    }

    private func ask(
        _ frame: RequestFrame.Ask, _ asker: LocalAsker, _ request: RemoteRequest, _ name: String,
        _ peer: DistributedPeer
    ) {
        do {
            let part = try asker.ask(
                engine, frame,
                { [weak self] in
                    self?.send($0, ranked: $1, request, frame, name, to: peer.id) ?? false
                },
                { request.isOver($0) })
            request.add(part)
        } catch {
            let problem =
                "a request named \"\(name)\" of \(peer) could not be decoded, so the two programs differ in "
                + "its type: \(JSONCoding.words(for: error).shown)"
            // With its topic, as each problem whose text may quote a payload: logs leave the text
            // out.
            engine.report(
                DeliveryProblem(.transport, problem, error: error, topic: "\"\(name)\""))
            request.addAnswer()
            sayFailed(problem, ranked: AnswerRank(), frame.number, to: peer.id)
            request.isOver(IncomingRequest.End())
        }
    }

    /// - Returns: Whether the answer was sent.
    private func send(
        _ answer: Result<[UInt8], any Error>, ranked rank: AnswerRank, _ request: RemoteRequest,
        _ frame: RequestFrame.Ask, _ name: String, to process: String
    ) -> Bool {
        let data: [UInt8]
        request.addAnswer()
        switch answer {
        case .success(let reply): data = reply
        case .failure(let error):
            sayFailed("\(error)", ranked: rank, frame.number, to: process)
            return false
        }
        let isLast = frame.wanted == .one
        if isLast, !request.takeLast() { return true }
        let reply = RequestFrame.Answer(
            to: frame.number, .reply(data), ranked: rank, isLast: isLast)
        do {
            try say(reply.info, to: process)
        } catch {
            request.addNotSent()
            let done = isLast ? request.takeBackLast() : nil
            let problem = "an answer to the request \"\(name)\" could not be sent: \(error)"
            engine.report(
                DeliveryProblem(.notDistributable, problem, error: error, topic: "\"\(name)\""))
            sayFailed(problem, ranked: rank, frame.number, to: process)
            if let done { try? say(done.info, to: process) }
            return false
        }
        if isLast { request.end() }
        return true
    }

    private func sayFailed(
        _ error: String, ranked rank: AnswerRank, _ number: UInt64, to process: String
    ) {
        let answer = RequestFrame.Answer(
            to: number, .error(error.shortened(to: Self.longestError)), ranked: rank, isLast: false)
        // Without a connection, the one who asks hears that this process has gone, or that its time
        // is up.
        try? say(answer.info, to: process)
    }

    /// The most Unicode scalars of an error that are sent.
    private static var longestError: Int { 4_096 }

    private func end(_ key: RequestKey, _ done: RequestFrame.Done?) {
        state.withLock { _ = $0.incoming.removeValue(forKey: key) }
        if let done { try? say(done.info, to: key.process) }
    }

    private func say(_ info: [AnyHashable: Any], to process: String) throws {
        guard let sender = state.withLock(\.sender) else { return }
        let result = try sender.ask(
            CenterNames.answers, process, DistributedPayload(userInfo: info))
        if result.dropped > 0 {
            throw DistributedPostError(
                .bufferIsFull, "the process that asks does not read, and too much waits for it")
        }
    }
}
