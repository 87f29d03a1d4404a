// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A payload on its way to mailboxes: one for each post, however many deliveries wait for it.
///
/// Subclasses wrap one for a single delivery, to follow it or to hold it back.
class AnyParcel: @unchecked Sendable {
    // Sendable: constant. Typed payloads are Sendable; a named notification is as unchecked as it
    // is with Apple's `queue:`.

    /// Whether the object's deinit had begun when this was posted: it does not travel.
    let objectIsGone: Bool

    init(objectIsGone: Bool) { self.objectIsGone = objectIsGone }

    // MARK: The payload

    /// Calls `handler`, which takes payloads of this parcel's type.
    func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        preconditionFailure("a parcel overrides callHandler(_:)")
    }

    /// The work that `handler`, which takes payloads of this parcel's type, does for it in a task.
    func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        preconditionFailure("a parcel overrides work(for:)")
    }

    /// The payload's key, as `handler` sees the payload.
    func key(_ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>) -> AnyHashable? {
        preconditionFailure("a parcel overrides key(_:for:)")
    }

    /// Whether the payload, as `handler` sees it, fulfils a condition.
    func admits(_ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>) -> Bool {
        preconditionFailure("a parcel overrides admits(_:for:)")
    }

    // MARK: One delivery

    /// Delivers to `observation` on the calling thread, unless it has ended.
    ///
    /// - Returns: The outcome of the delivery; nil if the observation has ended, or the delivery
    ///   was given up.
    @discardableResult
    func deliver(to observation: Observation) -> DeliveryOutcome? {
        deliverUnderClaim(to: observation)
    }

    /// Delivers to `observation` in the calling task, unless it has ended.
    func deliverAsync(to observation: Observation) async {
        await deliverUnderOpenClaim(to: observation)
    }

    /// Told that the mailbox in which the delivery waits is ending.
    ///
    /// - Returns: The number of deliveries that end with this one, and were not in the mailbox yet.
    func mailboxIsEnding() -> Int { 0 }

    /// Told, after that, that the mailbox has ended.
    ///
    /// - Returns: Whether a post that waits for the delivery counts it as undeliverable.
    @discardableResult
    func mailboxEnded(_ label: String) -> Bool { false }

    /// Told that the user's code has ended the thread right before the handler was to be called.
    func threadEnded() {}

    /// Told that the delivery was dropped or refused, and waits nowhere.
    func wasNotQueued() {}

    /// Told that the delivery gave way to another while it waited, or found no room when the time
    /// had come for which a pace had put it off.
    func wasDisplaced() {}

    /// Told that a pause keeps the delivery. Runs no user's code.
    func isKept() {}

    /// Told that the time has come for which a pace had put the delivery off, or that the pause which
    /// kept it has ended: it waits for its handler since `ticks`. Runs no user's code. Called only
    /// while posts are traced.
    func isDue(at ticks: UInt64) {}

    /// Told that the observer died while the delivery waited.
    func observerDied() {}

    /// Told that the observation has ended before the delivery was made.
    func observationEnded() {}

    /// Called when the mailbox discards the delivery.
    func wasDiscarded() {}

    /// Whether the delivery goes to another observation if this one, or its mailbox, ends before it
    /// is made.
    var movesOn: Bool { false }

    /// Has another member of the group get the delivery, if it goes to the member of a group that
    /// was chosen before `number`. Runs no user's code.
    func moveOn(before number: UInt64) {}

    /// Told that the delivery has moved on to `observation`.
    func moved(to observation: Observation) {}

    /// Whether the delivery was given up, so that the mailbox need not keep it.
    var isDiscarded: Bool { false }

    /// Whether the delivery waits while its observation is paused.
    var waitsInPause: Bool { true }

    /// Whether this is a call of a handler, and not the end of a pause.
    var callsHandler: Bool { true }

    /// Whether this is no delivery, but the end of the registration behind those before it.
    var endsRegistration: Bool { false }

    /// Whether a cancellation has taken the payload out, to make the delivery itself.
    var isMadeByAnother: Bool { false }

    /// Whether the delivery is made although its observation has ended.
    var isClaimed: Bool { false }
}

// Sendable: as its superclass; the payload is constant.
final class Parcel<Payload>: AnyParcel, @unchecked Sendable {
    private let payload: Payload

    // Required, so that one can be made by a type that is known at run time only.
    required init(_ payload: Payload, objectIsGone: Bool) {
        self.payload = payload
        super.init(objectIsGone: objectIsGone)
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        try Self.typed(handler)._withUnsafeGuaranteedRef { try $0.deliver(payload) }
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        try Self.typed(handler)._withUnsafeGuaranteedRef { try $0.work(for: payload) }
    }

    override func key(
        _ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> AnyHashable? {
        Self.typed(handler)._withUnsafeGuaranteedRef { $0.key(key, of: payload) }
    }

    override func admits(
        _ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Bool {
        Self.typed(handler)._withUnsafeGuaranteedRef { $0.admits(payload, filter) }
    }

    /// The handler, without a reference: counting one would take the handler's memory away from
    /// posting threads, which read there.
    private static func typed(
        _ handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Unmanaged<_DeliveryHandler<Payload>> {
        .fromOpaque(handler.toOpaque())
    }
}
