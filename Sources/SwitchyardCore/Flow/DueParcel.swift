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
        /// The handler is being called.
        case called
    }

    private let stage = Atomic<Stage>(.waiting)

    /// The parcel inside, for a cancellation that makes its delivery; nil if that has begun.
    func takeForFlush() -> AnyParcel? { leaves(for: .flushed) ? parcel : nil }

    private func leaves(for next: Stage) -> Bool {
        stage.compareExchange(expected: .waiting, desired: next, ordering: .relaxed).exchanged
    }

    /// Whether the parcel inside is another delivery's by now.
    private var wasFlushed: Bool { stage.load(ordering: .relaxed) == .flushed }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        leaves(for: .called) ? try parcel.callHandler(handler) : .uncounted
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        guard leaves(for: .called) else { return { .uncounted } }
        return try parcel.work(for: handler)
    }

    // The mailbox counts 1 for the entry.
    override func mailboxIsEnding() -> Int { wasFlushed ? -1 : parcel.mailboxIsEnding() }

    override func mailboxEnded(_ label: String) -> Bool {
        wasFlushed ? false : parcel.mailboxEnded(label)
    }

    override func threadEnded() { if !wasFlushed { parcel.threadEnded() } }

    override func wasNotQueued() { if !wasFlushed { parcel.wasNotQueued() } }

    override func wasDisplaced() { if !wasFlushed { parcel.wasDisplaced() } }

    override func observerDied() { if !wasFlushed { parcel.observerDied() } }

    override func observationEnded() { if !wasFlushed { parcel.observationEnded() } }

    override func wasDiscarded() { if !wasFlushed { parcel.wasDiscarded() } }
}
