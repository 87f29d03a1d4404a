// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Requests of this process.
extension RequestExchange {
    /// Sends a request to the processes that answer it, and has it wait for their answers.
    ///
    /// - Returns: The closure to call once the request is over; nil if there is no way to other
    ///   processes.
    /// - Throws: An error if it can't be sent.
    func carry<Request: DistributedRequest>(
        _ request: OutgoingRequest<Request>
    ) throws -> (@Sendable () -> Void)? {
        guard let sender = state.withLock(\.sender) else { return nil }
        let name = Request.name.rawValue
        if let problem = LocalInterest.problem(ofRequest: name) {
            throw DistributedPostError(.tooLong, problem)
        }
        let data = try Self.encode(request.request)
        let answers = RemoteAnswers(to: request)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.outgoing[state.lastNumber] = answers
            return state.lastNumber
        }
        do {
            let frame = RequestFrame.Ask(number, request.wanted, request.subject.string, data)
            let payload = try DistributedPayload(userInfo: frame.info)
            try following(name, sender) { context in
                answers.wait(
                    for: try sender.ask(CenterNames.requests, name, payload, context: context))
            }
            lookAfterProcesses(sender)
        } catch {
            forget(number)
            throw error
        }
        return { [self] in
            forget(number)
            guard answers.endAll() else { return }
            // One that does not hear it asks in vain, and no more.
            _ = try? sender.send(
                CenterNames.requests, name,
                DistributedPayload(userInfo: RequestFrame.Over(number).info))
        }
    }

    private func forget(_ number: UInt64) {
        state.withLock { _ = $0.outgoing.removeValue(forKey: number) }
    }

    private static func encode(_ request: some DistributedRequest) throws -> [UInt8] {
        do {
            return try JSONCoding.encode(request)
        } catch {
            throw DistributedPostError(
                .notEncodable, "\(type(of: request)) could not be encoded: \(error)", cause: error)
        }
    }

    /// Sends a request, with what it takes along if the center is followed. One that nobody answers
    /// goes nowhere, and takes nothing.
    private func following(
        _ name: String, _ sender: CenterSender, _ send: ([String: String]) throws -> Void
    ) throws {
        guard engine.isFollowed, let follower = engine.follower,
            sender.mayBeHeard(CenterNames.requests, name)
        else { return try send([:]) }
        try follower.sending(.name(name)) { try send($0.fields) }
    }
}
