// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Lets a handler answer requests. It skips a request that has ended before it is delivered.
final class AnsweringHandler<Request: RequestMessage>: _DeliveryHandler<AskedRequest<Request>> {
    private let handler: _DeliveryHandler<AskedRequest<Request>>
    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    init(_ handler: _DeliveryHandler<AskedRequest<Request>>) { self.handler = handler }

    override func belongs(to observation: Observation) {
        self.observation = observation
        handler.belongs(to: observation)
    }

    override var inWords: String { handler.inWords }

    override var role: HandlerRole { handler.role }

    override var observerIsGone: Bool { handler.observerIsGone }

    override func centerEnded() { handler.centerEnded() }

    // A request that is over does not use up a one-shot observation.
    override var claimsOnce: Bool { true }

    override func deliver(_ payload: AskedRequest<Request>) throws -> DeliveryOutcome {
        if payload.gathering.isOver { return .uncounted }
        guard let payload = claim(payload) else { return .tooLate }
        return try handler.deliver(payload)
    }

    override func work(for payload: AskedRequest<Request>) throws -> AsyncWork {
        if payload.gathering.isOver { return { .uncounted } }
        guard let payload = claim(payload) else { return { .tooLate } }
        return try handler.work(for: payload)
    }

    private func claim(_ payload: AskedRequest<Request>) -> AskedRequest<Request>? {
        guard let observation, observation.claimOnce() else { return nil }
        var payload = payload
        payload.rank = AnswerRank(
            priority: observation.priority, sequence: observation.sequence)
        return payload
    }

    override func admits(_ payload: AskedRequest<Request>, _ filter: DeliveryFilter) -> Bool {
        filter.admits(payload.request)
    }

    override func key(_ key: DeliveryKey, of payload: AskedRequest<Request>) -> AnyHashable? {
        key(payload.request)
    }
}
