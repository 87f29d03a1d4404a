// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A parcel for a delivery that counts as started: its observation may end before it is made.
final class ClaimedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let parcel: AnyParcel
    private let observation: Observation

    /// Takes over a claim that was begun by ``Observation/beginOpenClaim()``.
    init(_ parcel: AnyParcel, claimed observation: Observation) {
        self.parcel = parcel
        self.observation = observation
        super.init(objectIsGone: parcel.objectIsGone, center: parcel.center)
    }

    deinit { observation.endOpenClaim() }

    override func deliver(to observation: Observation) { parcel.call(observation) }

    override func deliverAsync(to observation: Observation) async {
        await parcel.callAsync(observation)
    }

    override func mailboxEnded(_ label: String) { parcel.mailboxEnded(label) }
}
