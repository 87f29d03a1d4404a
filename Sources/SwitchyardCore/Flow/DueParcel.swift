// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A delivery that a pace had put off, and that is due. Until its handler is called, a cancellation
/// may take it out, to make it although the observation ends: it may be about to be queued, wait in
/// the mailbox or for room there, or be kept by a pause.
final class DueParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.

    let progress = DueProgress()

    deinit { progress.ends() }

    /// The parcel inside, for a cancellation that makes its delivery, and has claimed it; nil if
    /// the delivery has begun.
    func takeForFlush(of observation: Observation) -> AnyParcel? {
        guard progress.move(from: .waiting, to: .flushed) else { return nil }
        if observation.claimForFlush() { return parcel }
        // A one-shot observation is claimed already. If for this very delivery, that goes on; if it
        // has found the parcel taken, its claim is the cancellation's.
        return progress.move(from: .flushed, to: .waiting) ? nil : parcel
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        progress.begins() ? try parcel.callHandler(handler) : .uncounted
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        guard progress.begins() else { return { .uncounted } }
        return try parcel.work(for: handler)
    }

    // The mailbox counts 1 for the entry.
    override func mailboxIsEnding() -> Int { progress.ends() ? parcel.mailboxIsEnding() : -1 }

    override func mailboxEnded(_ label: String) -> Bool {
        progress.ends() && parcel.mailboxEnded(label)
    }

    override func threadEnded() { if progress.ends() { parcel.threadEnded() } }

    override func wasNotQueued() { if progress.ends() { parcel.wasNotQueued() } }

    override func wasDisplaced() { if progress.ends() { parcel.wasDisplaced() } }

    override func observerDied() { if progress.ends() { parcel.observerDied() } }

    override func observationEnded() { if progress.ends() { parcel.observationEnded() } }

    override func wasDiscarded() { if progress.ends() { parcel.wasDiscarded() } }

    override var isMadeByAnother: Bool { progress.isMadeByAnother }
}
