// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A payload on its way to mailboxes: one for each post, however many deliveries wait for it.
class AnyParcel: @unchecked Sendable {
    // Sendable: constant. Typed payloads are Sendable; a named notification is as unchecked as it
    // is with Apple's `queue:`.

    /// Who is told of handlers that throw.
    let center: NotificationEngine
    /// Whether the object's deinit had begun when this was posted: it does not travel.
    let objectIsGone: Bool

    init(objectIsGone: Bool, center: NotificationEngine) {
        self.objectIsGone = objectIsGone
        self.center = center
    }

    /// Calls `handler`, which takes payloads of this parcel's type.
    func deliver(to handler: Unmanaged<AnyHandler>) throws -> DeliveryOutcome {
        preconditionFailure("a parcel overrides deliver(to:)")
    }
}

// Sendable: as its superclass; the payload is constant.
final class Parcel<Payload>: AnyParcel, @unchecked Sendable {
    private let payload: Payload

    init(_ payload: Payload, objectIsGone: Bool, center: NotificationEngine) {
        self.payload = payload
        super.init(objectIsGone: objectIsGone, center: center)
    }

    override func deliver(to handler: Unmanaged<AnyHandler>) throws -> DeliveryOutcome {
        try handler._withUnsafeGuaranteedRef { handler in
            try unsafeDowncast(handler, to: Handler<Payload>.self).deliver(payload)
        }
    }
}
