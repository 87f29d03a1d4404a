// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The user's code of one observation, and its captures. Released as a whole when the observation
/// has ended and nobody is inside it.
///
/// For Switchyard's own modules.
open class _AnyDeliveryHandler {
    /// Makes a handler. For subclasses.
    @_spi(Engine) public init() {}

    /// Called once, when the handler gets its observation, before it is registered. A handler that
    /// outlives its claim, because it goes on elsewhere, keeps the observation to claim it again.
    @_spi(Engine) open func belongs(to observation: Observation) {}

    /// The thing that it calls, in words: `a closure`, `a method of Inspector`.
    @_spi(Engine) open var inWords: String { "a handler" }

    /// The kind of code that it calls.
    @_spi(Engine) open var role: HandlerRole { .closure }

    /// Whether the handler also gets posts that one before it has consumed, because it looks on and
    /// is no observer.
    @_spi(Engine) open var seesConsumed: Bool { false }

    /// The number of posts that it has consumed.
    @_spi(Engine) open var consumed: UInt64 { 0 }

    /// Counts a post that it has consumed, so that the observers behind it do not hear it.
    @_spi(Engine) open func countConsumed() {}

    /// Whether the object that it calls, if there is one, has died. Asked on Apple's systems alone.
    @_spi(Engine) open var observerIsGone: Bool { false }

    /// Whether a one-shot observation is claimed by the handler itself, by
    /// ``Observation/claimOnce()``, because it may find that it has nothing to call.
    @_spi(Engine) open var claimsOnce: Bool { false }

    /// Whether it keeps payloads for a sequence, which ends with the center.
    @_spi(Engine) open var isSequence: Bool { false }

    /// The number of payloads that it keeps for a sequence.
    @_spi(Engine) open var waiting: Int { 0 }

    /// Whether it keeps payloads for a sequence without a limit.
    @_spi(Engine) open var keepsAll: Bool { false }

    /// Called when the center has gone: no delivery follows, but for those that wait.
    @_spi(Engine) open func centerEnded() {}

    /// Whether this is a ``ClosureHandler``.
    var isClosure: Bool { false }

    /// Whether payloads may wait as they are (``InlinePayload``), to be delivered by
    /// ``deliver(at:)``.
    var takesInlinePayload: Bool { false }

    /// Calls the user's code with the payload at `address`.
    func deliver(at address: UnsafeRawPointer) throws -> DeliveryOutcome {
        preconditionFailure("a handler that takes inline payloads overrides deliver(at:)")
    }
}

/// One delivery to an async handler.
@_spi(Engine) public typealias AsyncWork = @Sendable () async throws -> DeliveryOutcome

/// Thrown by a handler that could not call the user's code, with what to report.
package struct DeliverySkipped: Error {
    let problem: DeliveryProblem

    package init(_ problem: DeliveryProblem) { self.problem = problem }
}

/// A handler of notifications that carry `Payload`.
///
/// For Switchyard's own modules.
open class _DeliveryHandler<Payload>: _AnyDeliveryHandler {
    /// `Parcel<Payload>`, once it was asked for by ``pack(_:objectIsGone:)``: the runtime takes
    /// longer to find it than to make a parcel.
    let parcelType = Atomic<UnsafeRawPointer?>(nil)

    /// Whether the handler needs the object of `payload`. If not, a delivery that waits in a
    /// mailbox does not retain the object: it neither keeps it alive nor destroys it on another
    /// thread.
    @_spi(Engine) open func keepsObject(of payload: Payload) -> Bool { true }

    /// The form of `payload` that may wait in a mailbox: without the object when its deinit has
    /// begun, because keeping it would not keep it alive.
    @_spi(Engine) open func detached(_ payload: Payload, objectIsGone: Bool) -> Payload { payload }

    /// The form of `payload` that may wait in a mailbox, if another handler than this one may get
    /// it.
    @_spi(Engine) open func detachedForAny(_ payload: Payload, objectIsGone: Bool) -> Payload {
        detached(payload, objectIsGone: objectIsGone)
    }

    /// Calls the user's code, or has it called.
    @_spi(Engine) open func deliver(_ payload: Payload) throws -> DeliveryOutcome {
        preconditionFailure(
            "a _DeliveryHandler subclass overrides deliver(_:), or is asked for work(for:)")
    }

    override final func deliver(at address: UnsafeRawPointer) throws -> DeliveryOutcome {
        try deliver(address.assumingMemoryBound(to: Payload.self).pointee)
    }

    override var takesInlinePayload: Bool { InlinePayload.holds(Payload.self) }

    /// Calls the user's code, or has it called, in a post that waits: a call that the handler makes
    /// elsewhere holds a ticket of `wait`.
    @_spi(Engine) open func deliver(
        _ payload: Payload, for wait: PostWait
    ) throws -> DeliveryOutcome {
        try deliver(payload)
    }

    /// The work of an async handler for one payload. It is released before the claim ends.
    @_spi(Engine) open func work(for payload: Payload) throws -> AsyncWork {
        preconditionFailure("an async _DeliveryHandler subclass overrides work(for:)")
    }

    /// Whether a payload, as the user sees it, fulfils a condition.
    @_spi(Engine) open func admits(_ payload: Payload, _ filter: DeliveryFilter) -> Bool {
        filter.admits(payload)
    }

    /// The key of a payload, as the user sees it.
    @_spi(Engine) open func key(_ key: DeliveryKey, of payload: Payload) -> AnyHashable? {
        key(payload)
    }
}

// MARK: - Packing

extension _DeliveryHandler {
    /// Puts a payload into a parcel.
    final func pack(_ payload: Payload, objectIsGone: Bool) -> AnyParcel {
        parcel(of: detached(payload, objectIsGone: objectIsGone), objectIsGone: objectIsGone)
    }

    /// Puts a payload into a parcel that may come to another handler than this one.
    final func packForAny(_ payload: Payload, objectIsGone: Bool) -> AnyParcel {
        parcel(of: detachedForAny(payload, objectIsGone: objectIsGone), objectIsGone: objectIsGone)
    }

    private func parcel(of detached: Payload, objectIsGone: Bool) -> AnyParcel {
        let type: Parcel<Payload>.Type
        if let known = parcelType.load(ordering: .relaxed) {
            // The pointer was stored below: it is metadata, which is never freed.
            type = unsafeBitCast(known, to: Parcel<Payload>.Type.self)
        } else {
            type = Parcel<Payload>.self
            parcelType.store(
                unsafeBitCast(type, to: UnsafeRawPointer.self), ordering: .relaxed)
        }
        return type.init(detached, objectIsGone: objectIsGone)
    }
}
