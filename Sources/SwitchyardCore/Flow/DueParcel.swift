// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A delivery that a pace had put off, and that is due. Until its handler is called, a cancellation
/// may take it out, to make it although the observation ends: it may be about to be queued, wait in
/// the mailbox or for room there, or be kept by a pause.
final class DueParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is atomic.

    private enum Stage: UInt8, AtomicRepresentable {
        case waiting
        /// A cancellation has taken the parcel inside.
        case flushed
        /// The same, and this parcel's own delivery was about to call the handler.
        case skipped
        /// The handler is being called, or the delivery has ended otherwise.
        case over
    }

    private let stage = Atomic<Stage>(.waiting)

    /// The parcel inside, for a cancellation that makes its delivery, and has claimed it; nil if
    /// the delivery has begun.
    func takeForFlush(of observation: Observation) -> AnyParcel? {
        guard move(from: .waiting, to: .flushed) else { return nil }
        if observation.claimForFlush() { return parcel }
        // A one-shot observation is claimed already. If for this very delivery, that goes on; if it
        // has found the parcel taken, its claim is the cancellation's.
        return move(from: .flushed, to: .waiting) ? nil : parcel
    }

    private func move(from stage: Stage, to next: Stage) -> Bool {
        self.stage.compareExchange(
            expected: stage, desired: next, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Whether the handler is to be called for this parcel.
    private func begins() -> Bool {
        if move(from: .waiting, to: .over) { return true }
        // The cancellation may be about to give the parcel back.
        return !move(from: .flushed, to: .skipped) && move(from: .waiting, to: .over)
    }

    /// Ends the delivery for this parcel.
    ///
    /// - Returns: False if the parcel inside is another delivery's by now.
    private func ends() -> Bool {
        move(from: .waiting, to: .over) || stage.load(ordering: .relaxed) == .over
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        begins() ? try parcel.callHandler(handler) : .uncounted
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        guard begins() else { return { .uncounted } }
        return try parcel.work(for: handler)
    }

    // The mailbox counts 1 for the entry.
    override func mailboxIsEnding() -> Int { ends() ? parcel.mailboxIsEnding() : -1 }

    override func mailboxEnded(_ label: String) -> Bool {
        ends() && parcel.mailboxEnded(label)
    }

    override func threadEnded() { if ends() { parcel.threadEnded() } }

    override func wasNotQueued() { if ends() { parcel.wasNotQueued() } }

    override func wasDisplaced() { if ends() { parcel.wasDisplaced() } }

    override func observerDied() { if ends() { parcel.observerDied() } }

    override func observationEnded() { if ends() { parcel.observationEnded() } }

    override func wasDiscarded() { if ends() { parcel.wasDiscarded() } }
}
