// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The progress of a delivery that is due, beside its parcel: one who looks for the deliveries that
/// still wait need not touch their payloads.
final class DueProgress: Sendable {
    enum Stage: UInt8, AtomicRepresentable {
        case waiting
        /// A cancellation has taken the parcel inside.
        case flushed
        /// The same, and this parcel's own delivery was about to call the handler.
        case skipped
        /// The handler is being called, or the delivery has ended otherwise.
        case over
    }

    private let stage = Atomic<Stage>(.waiting)

    var isOver: Bool { stage.load(ordering: .relaxed) == .over }

    /// Whether a cancellation makes the delivery.
    var isMadeByAnother: Bool {
        let stage = stage.load(ordering: .relaxed)
        return stage == .flushed || stage == .skipped
    }

    func move(from stage: Stage, to next: Stage) -> Bool {
        self.stage.compareExchange(
            expected: stage, desired: next, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Whether the handler is to be called for this parcel.
    func begins() -> Bool {
        while true {
            if move(from: .waiting, to: .over) { return true }
            if move(from: .flushed, to: .skipped) { return false }
            // A cancellation may have given the parcel back meanwhile.
            let stage = stage.load(ordering: .relaxed)
            if stage == .over || stage == .skipped { return false }
        }
    }

    /// Ends the delivery for this parcel.
    ///
    /// - Returns: False if the parcel inside is another delivery's by now.
    @discardableResult
    func ends() -> Bool { move(from: .waiting, to: .over) || isOver }
}
