// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The last step of every delivery: here Switchyard enters the user's code. Whatever is to stand around
/// each call, a trace or a count, stands here once.
extension Observation {
    /// Has `call` call the handler, which the caller has claimed and marked, on this thread.
    ///
    /// - Returns: What became of the delivery. An error that the handler throws is reported, and the
    ///   delivery counts as made.
    @inline(__always)
    func invoke(_ call: () throws -> DeliveryOutcome) -> DeliveryOutcome {
        do {
            let outcome = try call()
            if outcome == .expired { expire() }
            return outcome
        } catch {
            return report(error)
        }
    }

    /// The same as ``invoke(_:)``, for an async handler, in the calling task.
    ///
    /// - Parameter work: makes the call of the handler.
    func invokeAsync(_ work: () throws -> AsyncWork) async -> DeliveryOutcome {
        do {
            let outcome = try await HandlerTask.inside(self, try work())
            if outcome == .expired { expire() }
            return outcome
        } catch {
            return report(error)
        }
    }

    /// Counts a delivery that reached the handler.
    func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered, .displaced, .queued: countDelivery()
        case .dropped, .watched, .undeliverable, .expired: break
        }
    }

    /// Reports what the handler threw.
    @inline(never)
    private func report(_ error: any Error) -> DeliveryOutcome {
        if let skipped = error as? DeliverySkipped {
            // The user's code did not run.
            report(skipped.problem)
            return .watched
        }
        report(.handlerThrew(error, registeredAt: origin, for: owner.topic))
        return .delivered
    }
}
