// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

// Requests of other processes.
extension RequestExchange {
    /// Asks a request of another process here. Those whose handlers run on the calling thread answer before this returns.
    func ask(_ frame: RequestFrame.Ask, named name: String, from peer: DistributedPeer) {
        let askers = state.withLock { $0.askers[name] } ?? []
        guard !askers.isEmpty else {
            // An observer of any name has it come here, too, or the last one who answered has just ended.
            return end(frame.key, RequestFrame.Done(with: frame.key.number))
        }
        let request = RemoteRequest(frame.key, of: peer.id, parts: askers.count) { [weak self] in
            self?.end(frame.key, $0)
        }
        state.withLock { $0.incoming[frame.key] = request }
        for asker in askers { ask(frame, asker, request, name, peer) }
    }

    private func ask(
        _ frame: RequestFrame.Ask, _ asker: LocalAsker, _ request: RemoteRequest, _ name: String,
        _ peer: DistributedPeer
    ) {
        do {
            let part = try asker.ask(
                engine, frame,
                { [weak self] in self?.send($0, at: $1, request, frame, name) },
                { request.isOver($0) })
            request.add(part)
        } catch {
            let problem =
                "a request named \"\(name)\" of \(peer) could not be decoded, so the two programs differ in "
                + "its type: \(JSONCoding.words(for: error))"
            engine.report(DeliveryProblem(.transport, problem, error: error))
            sayFailed(problem, at: AnswerPlace(), frame.key)
            request.isOver(IncomingRequest.End())
        }
    }

    private func send(
        _ answer: Result<[UInt8], any Error>, at place: AnswerPlace, _ request: RemoteRequest,
        _ frame: RequestFrame.Ask, _ name: String
    ) {
        let data: [UInt8]
        switch answer {
        case .success(let reply): data = reply
        case .failure(let error): return sayFailed("\(error)", at: place, frame.key)
        }
        let isLast = frame.wanted == .one
        if isLast, !request.takeLast() { return }
        let reply = RequestFrame.Answer(
            to: frame.key.number, .reply(data), at: place, isLast: isLast)
        do {
            try say(reply.info, to: frame.key)
        } catch {
            let problem = "an answer to the request \"\(name)\" could not be sent: \(error)"
            engine.report(DeliveryProblem(.notDistributable, problem, error: error))
            sayFailed(problem, at: place, frame.key, isLast: isLast)
        }
    }

    private func sayFailed(
        _ error: String, at place: AnswerPlace, _ key: RequestFrame.Key, isLast: Bool = false
    ) {
        let answer = RequestFrame.Answer(
            to: key.number, .error(error.shortened(to: Self.longestError)), at: place,
            isLast: isLast)
        // Without a connection, the one who asks hears that this process has gone, or that its time is up.
        try? say(answer.info, to: key)
    }

    /// The most Unicode scalars of an error that are sent.
    private static var longestError: Int { 4_096 }

    private func end(_ key: RequestFrame.Key, _ done: RequestFrame.Done?) {
        state.withLock { _ = $0.incoming.removeValue(forKey: key) }
        if let done { try? say(done.info, to: key) }
    }

    private func say(_ info: [AnyHashable: Any], to key: RequestFrame.Key) throws {
        guard let sender = state.withLock(\.sender) else { return }
        try sender.send(CenterNames.answers, key.asker, DistributedPayload(userInfo: info))
    }
}
