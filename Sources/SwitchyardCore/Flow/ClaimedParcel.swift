// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for a delivery that counts as started: its observation may end before it is made.
final class ClaimedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is constant or atomic.
    private let parcel: AnyParcel
    private let observation: Observation
    private let pacer: Pacer
    private let isOver = Atomic<Bool>(false)
    private let hasBegun = Atomic<Bool>(false)

    /// Takes over a use that was begun by ``Observation/beginUse()``, is claimed, and counts in
    /// ``Pacer/flushes``.
    init(_ parcel: AnyParcel, claimed observation: Observation, by pacer: Pacer) {
        self.parcel = parcel
        self.observation = observation
        self.pacer = pacer
        super.init(objectIsGone: parcel.objectIsGone)
    }

    deinit {
        begin()
        endClaim()
    }

    /// Counts the delivery as begun: it is no longer a pending one of ``Pacer/flushes``.
    private func begin() {
        if !hasBegun.exchange(true, ordering: .relaxed) {
            pacer.flushes.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private func endClaim() {
        if !isOver.exchange(true, ordering: .relaxed) { observation.endOpenClaim() }
    }

    override func deliver(to observation: Observation) -> DeliveryOutcome? {
        begin()
        return HazardRecord.calling(observation) {
            // The thread's hazard slot stands for the claim from now on, so that a wait inside the
            // handler counts it as its own.
            endClaim()
            return parcel.call(observation)
        }
    }

    override func deliverAsync(to observation: Observation) async {
        begin()
        await parcel.callAsync(observation)
    }

    override func observerDied() { parcel.observerDied() }

    override func mailboxEnded(_ label: String) -> Bool {
        let isCounted = parcel.mailboxEnded(label)
        // There will be no delivery: a hook that is told so may wait for the observation's end.
        begin()
        endClaim()
        return isCounted
    }

    override var isClaimed: Bool { true }

    override var waitsInPause: Bool { false }
}
