// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// Asks requests of one type here, for other processes.
struct LocalAsker: Sendable {
    /// The type of the requests.
    let type: ObjectIdentifier
    /// Decodes a request, and asks those who answer it.
    let ask:
        @Sendable (
            NotificationEngine, RequestFrame.Ask, @escaping AnswerRelay<[UInt8]>,
            @escaping @Sendable (IncomingRequest.End) -> Void
        ) throws -> IncomingRequest

    init<Request: DistributedRequest>(_ type: Request.Type) {
        self.type = ObjectIdentifier(type)
        ask = { engine, frame, relay, whenOver in
            // Decodes no request that nothing here answers now: another program may use its name
            // for another type.
            guard engine.answers(type, about: frame.subject) else {
                let part = IncomingRequest.over
                whenOver(IncomingRequest.End())
                return part
            }
            let request = try frame.data.withUnsafeBytes {
                try JSONCoding.decode(type, from: $0)
            }
            return engine.ask(
                request, about: frame.subject, frame.wanted,
                relay: { answer, rank in
                    relay(answer.flatMap { encode($0, of: type, engine) }, rank)
                }, whenOver: whenOver)
        }
    }
}

/// Encodes an answer. Nobody but the problem hook hears here that this has failed.
private func encode<Request: DistributedRequest>(
    _ reply: Request.Reply, of type: Request.Type, _ engine: NotificationEngine
) -> Result<[UInt8], any Error> {
    do {
        return .success(try JSONCoding.encode(reply))
    } catch {
        let problem = "an answer to \(type) could not be encoded: \(error)"
        // With its topic, as each problem whose text may quote a payload: logs leave the text out.
        engine.report(
            DeliveryProblem(
                .notDistributable, problem, error: error,
                topic: "\"\(type.name.rawValue)\""))
        return .failure(DistributedPostError(.notEncodable, problem, cause: error))
    }
}
