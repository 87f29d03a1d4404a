// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Lets a handler of messages hear the posts under their name.
final class NamedAdapter<Message>: AnyNamedHandler {
    private let handler: _DeliveryHandler<Message>
    private let conversion: NamedConversion<Message>

    init(_ handler: _DeliveryHandler<Message>, _ conversion: NamedConversion<Message>) {
        self.handler = handler
        self.conversion = conversion
    }

    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    override func belongs(to observation: Observation) {
        self.observation = observation
        handler.belongs(to: observation)
    }

    override var inWords: String { handler.inWords }

    override var role: HandlerRole { handler.role }

    override var seesConsumed: Bool { handler.seesConsumed }

    override var consumed: UInt64 { handler.consumed }

    override func countConsumed() { handler.countConsumed() }

    override var observerIsGone: Bool { handler.observerIsGone }

    override var isSequence: Bool { handler.isSequence }

    override var waiting: Int { handler.waiting }

    override var keepsAll: Bool { handler.keepsAll }

    override func centerEnded() { handler.centerEnded() }

    // A notification of which no message can be made does not use up a one-shot observation.
    override var claimsOnce: Bool { true }

    // Observers of messages do not get the subject.
    override func keepsObject(of payload: NamedPayload) -> Bool {
        !(payload.message is TypedNamedMessage<Message>)
    }

    override func detached(_ payload: NamedPayload, objectIsGone: Bool) -> NamedPayload {
        guard keepsObject(of: payload) else {
            return payload.detachedMessage(objectIsGone: true)
        }
        return super.detached(payload, objectIsGone: objectIsGone)
    }

    override func detachedForAny(_ payload: NamedPayload, objectIsGone: Bool) -> NamedPayload {
        super.detached(payload, objectIsGone: objectIsGone)
    }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        let message = try conversion.message(of: payload)
        return claimOnce() ? try handler.deliver(message) : .tooLate
    }

    override func work(for payload: NamedPayload) throws -> AsyncWork {
        let message = try conversion.message(of: payload)
        if !claimOnce() { return { .tooLate } }
        return try handler.work(for: message)
    }

    private func claimOnce() -> Bool { observation?.claimOnce() ?? true }

    override func admits(_ payload: NamedPayload, _ filter: DeliveryFilter) -> Bool {
        // A payload that can't be converted is reported when it is delivered.
        (try? conversion.message(of: payload)).map { handler.admits($0, filter) } ?? true
    }

    override func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        // A payload that can't be converted is reported when it is delivered.
        (try? conversion.message(of: payload)).flatMap { handler.key(key, of: $0) }
    }
}
