// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A parcel around another one, for a single delivery: passes on all that it is asked and told.
/// Subclasses override the steps that concern them.
///
/// The delivery to an observation is not passed on: the wrapper claims the observation, and its own
/// `callHandler(_:)` is called.
class WrappedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant. A subclass answers for its own state.
    final let parcel: AnyParcel

    init(around parcel: AnyParcel) {
        self.parcel = parcel
        super.init(objectIsGone: parcel.objectIsGone)
    }

    // MARK: The payload

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        try parcel.callHandler(handler)
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        try parcel.work(for: handler)
    }

    override final func key(
        _ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> AnyHashable? {
        parcel.key(key, for: handler)
    }

    override final func admits(
        _ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Bool {
        parcel.admits(filter, for: handler)
    }

    // MARK: One delivery

    override func mailboxIsEnding() -> Int { parcel.mailboxIsEnding() }

    override func mailboxEnded(_ label: String) -> Bool { parcel.mailboxEnded(label) }

    override func threadEnded() { parcel.threadEnded() }

    override func wasNotQueued() { parcel.wasNotQueued() }

    override func wasDisplaced() { parcel.wasDisplaced() }

    override func isDue(at ticks: UInt64) { parcel.isDue(at: ticks) }

    override func observerDied() { parcel.observerDied() }

    override func observationEnded() { parcel.observationEnded() }

    override func wasDiscarded() { parcel.wasDiscarded() }

    override var movesOn: Bool { parcel.movesOn }

    override func moveOn(before number: UInt64) { parcel.moveOn(before: number) }

    override func moved(to observation: Observation) { parcel.moved(to: observation) }

    override var isDiscarded: Bool { parcel.isDiscarded }

    override var waitsInPause: Bool { parcel.waitsInPause }

    override var callsHandler: Bool { parcel.callsHandler }

    override var isMadeByAnother: Bool { parcel.isMadeByAnother }

    override var isClaimed: Bool { parcel.isClaimed }
}
