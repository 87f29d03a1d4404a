// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// The last step of every delivery: here Switchyard enters the user's code. Steps that need the
/// observation alone, and stand around each call, stand here once. A trace needs the post as well,
/// and is taken where that is known (`Post/NotificationEngine+Trace.swift`, `TracedParcel`).
///
/// The sections below are the ways to this step: from the posting thread, and from a mailbox.
extension Observation {
    /// Has `call` call the handler, which the caller has claimed and marked, on this thread.
    ///
    /// - Returns: The outcome of the delivery. An error that the handler throws is reported, and
    ///   the delivery counts as made.
    @inline(__always)
    func invoke(_ call: () throws -> DeliveryOutcome) -> DeliveryOutcome {
        do {
            let outcome = try call()
            if outcome == .expired { expire(isClaimed: has(State.once)) }
            return outcome
        } catch {
            return report(error)
        }
    }

    /// Has `work` call the async handler, which the caller has claimed, in the calling task.
    ///
    /// All of this function counts as inside the handler: before the call (`onLag`) and after it
    /// (the report of an error), the user's code may run as well, and may wait for the
    /// observation's end there.
    ///
    /// - Parameter work: makes the call of the handler.
    func invokeAsync(_ work: @Sendable () throws -> AsyncWork) async -> DeliveryOutcome {
        await HandlerTask.inside(self) {
            do {
                let outcome = try await work()()
                if outcome == .expired { expire(isClaimed: has(State.once)) }
                return outcome
            } catch {
                return report(error)
            }
        }
    }

    func countDelivery() { delivered.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a delivery that reached the handler.
    func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered, .consumed, .displaced, .queued: countDelivery()
        case .dropped, .uncounted, .undeliverable, .expired, .tooLate: break
        }
    }

    /// Reports the error that the handler threw.
    @inline(never)
    private func report(_ error: any Error) -> DeliveryOutcome {
        if let skipped = error as? DeliverySkipped {
            // The user's code did not run.
            report(skipped.problem)
            return .uncounted
        }
        let context = mailbox?.label ?? "the posting thread"
        report(.handlerThrew(error, on: context, problemSource))
        return .delivered
    }
}

// MARK: - On the posting thread

extension Observation {
    /// Calls `body` with the handler, cast without a check to the class that `body` takes. The
    /// caller is inside the observation.
    @inline(__always)
    func withHandler<Kind: _AnyDeliveryHandler, Result>(
        _ body: (Kind) throws -> Result
    ) rethrows -> Result {
        try handler._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: Kind.self)) }
    }

    /// Calls the handler of a plain observation, whose state is `state`.
    @inline(__always)
    static func call<Payload>(
        _ observation: Unmanaged<Observation>, _ payload: Payload, _ state: UInt32
    ) -> DeliveryOutcome {
        observation._withUnsafeGuaranteedRef { observation in
            observation.invoke {
                if state & State.closure == 0 {
                    return try observation.withHandler { (handler: _DeliveryHandler) in
                        try handler.deliver(payload)
                    }
                }
                try observation.withHandler { (handler: ClosureHandler) in
                    try handler.body(payload)
                }
                return .delivered
            }
        }
    }
}

// MARK: - The claim

extension Observation {
    /// Whether a delivery may start now. One-shot observations give the claim once.
    ///
    /// The caller has written its hazard slot, so that a thread that cancels sees the delivery.
    @inline(__always)
    func claim() -> Bool {
        let seen = state.load(ordering: .acquiring)
        if seen & (State.cancelled | State.once) == 0 { return true }
        return claimOnce(seen)
    }

    /// Whether a delivery may start now: as ``claim()``, but false while the observation is paused.
    @inline(__always)
    func claimUnlessPaused() -> Bool {
        let seen = state.load(ordering: .acquiring)
        if seen & (State.cancelled | State.once | State.paused) == 0 { return true }
        return seen & State.paused == 0 && claimOnce(seen)
    }
}

// MARK: - Through a mailbox, on a thread

extension AnyParcel {
    /// Delivers to `observation` on the calling thread, unless it has ended: the last step of a
    /// delivery through a mailbox.
    ///
    /// - Returns: The outcome of the delivery; nil if the observation has ended.
    func deliverUnderClaim(to observation: Observation) -> DeliveryOutcome? {
        let outcome = HazardRecord.calling(observation) {
            observation.claim() ? call(observation) : nil
        }
        if outcome == nil { observationEnded() }
        return outcome
    }

    /// Calls the handler of `observation`, which the caller has claimed.
    func call(_ observation: Observation) -> DeliveryOutcome {
        let outcome = observation.invoke { try callHandler(observation.handler) }
        observation.count(outcome)
        return outcome
    }
}

// MARK: - Through a mailbox, in a task

extension AnyParcel {
    /// Delivers to `observation` in the calling task, unless it has ended.
    func deliverUnderOpenClaim(to observation: Observation) async {
        guard observation.beginOpenClaim() else { return observationEnded() }
        await callAsync(observation)
        observation.endOpenClaim()
    }

    /// Calls the async handler of `observation`, which the caller has claimed.
    func callAsync(_ observation: Observation) async {
        observation.count(await observation.invokeAsync { try work(for: observation.handler) })
    }
}

// MARK: - Through a mailbox, without a parcel

extension Observation {
    /// Delivers a payload that came through a mailbox without a parcel, unless this has ended or is
    /// paused; as ``AnyParcel/deliverUnderClaim(to:)``, but a call that was made is left for the
    /// caller to count.
    func deliver(_ payload: InlinePayload) -> DeliveryOutcome? {
        HazardRecord.calling(self) { claimUnlessPaused() ? call(payload) : nil }
    }

    /// Delivers a payload for a caller that has found no pause. A pause that begins after that does
    /// not keep this payload.
    func deliver(afterPause payload: InlinePayload) -> DeliveryOutcome? {
        HazardRecord.calling(self) { claim() ? call(payload) : nil }
    }

    /// Delivers a payload that has the number of its post, and traces the delivery. A pause does
    /// not keep it.
    @inline(never)
    func deliver(traced payload: InlinePayload) -> DeliveryOutcome? {
        let frame = TraceFrame.enter(payload.post)
        let outcome = deliver(afterPause: payload)
        let kind: TraceEvent.Kind =
            switch outcome {
            case nil: .cancelled
            case .expired: .expired
            default: .delivered
            }
        frame?.leave(kind, address)
        return outcome
    }

    private func call(_ payload: InlinePayload) -> DeliveryOutcome {
        invoke {
            try payload.withPointer { address in
                try withHandler { (handler: _AnyDeliveryHandler) in
                    try handler.deliver(at: address)
                }
            }
        }
    }
}

// MARK: - The hazard slot around a call

extension HazardRecord {
    /// Calls `body` while a hazard slot says that the thread is inside the handler of
    /// `observation`.
    static func calling<Result>(_ observation: Observation, _ body: () -> Result) -> Result {
        let record = HazardRecord.current(roomFor: 1)
        let base = record.pointee.top
        record.pointee.top = base + 1
        record.pointee.words[base].store(observation.address, ordering: .releasing)
        // This thread walks no list that others could see, so a canceller has to see the slot.
        publish(record)
        let result = body()
        // A light fence is enough: a canceller that still reads the slot makes a heavy fence, and
        // then looks again.
        record.pointee.words[base].store(0, ordering: .releasing)
        switchyard_light_fence()
        record.pointee.top = base
        if base == 0, record.pointee.outer != nil { HazardRecord.returnToOuter(record) }
        if observation.listensForEnds { observation.deliveryEnded() }
        return result
    }
}
