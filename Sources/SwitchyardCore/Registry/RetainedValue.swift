// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A payload that a center keeps for observers that come late.
@_spi(Engine) open class AnyRetainedValue: @unchecked Sendable {
    // Sendable: constant, or atomic. Typed payloads are Sendable; a named notification is as
    // unchecked as it is with Apple's `queue:`.

    private let replaced = Atomic<Bool>(false)
    private let delivered = Atomic<Bool>(false)

    init() {}

    /// Whether a later value has taken the place of this one.
    package final var isReplaced: Bool { replaced.load(ordering: .acquiring) }

    /// Whether the delivery of the value has begun, on any thread.
    final var isDelivered: Bool { delivered.load(ordering: .sequentiallyConsistent) }

    /// Takes note that the delivery of the value begins.
    package final func beginDelivery() { delivered.store(true, ordering: .sequentiallyConsistent) }

    /// Takes note that a later value takes the place of this one.
    final func wasReplaced() { replaced.store(true, ordering: .releasing) }

    /// Whether this takes the place of `other`, which the center keeps: true, because it was posted
    /// later, unless the values of several processes come in another order. Called under the
    /// registry's lock.
    open func isLater(than other: AnyRetainedValue) -> Bool { true }

    /// The delivery of the value to `observation`, which the caller uses; nil if the observation's
    /// condition does not admit it, or the value has ended with its subject.
    func parcel(for observation: Observation) -> AnyParcel? {
        preconditionFailure("a retained value overrides parcel(for:)")
    }
}

/// A payload of one type that a center keeps for observers that come late.
@_spi(Engine) open class RetainedValue<Payload>: AnyRetainedValue, @unchecked Sendable {
    // Sendable: as its superclass.
    private let kept: Payload?

    /// Keeps `payload`; nil for a value that has ended, which keeps earlier ones from coming back.
    public init(_ payload: Payload?) {
        kept = payload
        super.init()
    }

    /// The payload; nil if it has ended with its subject.
    open var payload: Payload? { kept }

    override final func parcel(for observation: Observation) -> AnyParcel? {
        guard let payload else { return nil }
        if let filter = observation.flow?.filter, !observation.admits(payload, filter) {
            return nil
        }
        return observation.withHandler { (handler: _DeliveryHandler<Payload>) in
            handler.pack(payload, objectIsGone: false)
        }
    }
}

/// The outcome of keeping a value for observers that come late.
package struct RetainOutcome {
    /// Whether the value is kept: not if a later one is, or if nobody wants it.
    package let isKept: Bool
    /// The value that was kept before; the one that still is, if `isKept` is false.
    package let other: AnyRetainedValue?
    /// The number of the last registration by then. Observers up to it have not heard the value;
    /// later ones hear the kept value when they register.
    package let last: UInt64
}
