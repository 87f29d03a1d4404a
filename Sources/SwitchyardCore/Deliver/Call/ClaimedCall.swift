// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

// MARK: - On a thread

extension AnyParcel {
    /// Delivers to `observation` on the calling thread, unless it has ended: the last step of what
    /// came through a mailbox.
    ///
    /// - Returns: What became of it; nil if the observation has ended.
    func deliverUnderClaim(to observation: Observation) -> DeliveryOutcome? {
        HazardRecord.calling(observation) { observation.claim() ? call(observation) : nil }
    }

    /// Calls the handler of `observation`, which the caller has claimed.
    func call(_ observation: Observation) -> DeliveryOutcome {
        let outcome = observation.invoke { try deliver(to: observation.handler) }
        observation.count(outcome)
        return outcome
    }
}

extension HazardRecord {
    /// Calls `body` while a hazard slot says that the thread is inside the handler of `observation`.
    static func calling<Result>(_ observation: Observation, _ body: () -> Result) -> Result {
        let record = HazardRecord.current(roomFor: 1)
        let base = record.pointee.top
        record.pointee.top = base + 1
        record.pointee.words[base].store(observation.address, ordering: .releasing)
        // This thread walks no list that others could see, so a canceller has to see the slot.
        publish(record)
        let result = body()
        // A canceller that still sees the slot passes a heavy fence.
        record.pointee.words[base].store(0, ordering: .releasing)
        switchyard_light_fence()
        record.pointee.top = base
        if base == 0, record.pointee.outer != nil { HazardRecord.returnToOuter(record) }
        if observation.listensForEnds { observation.deliveryEnded() }
        return result
    }
}

extension Observation {
    /// Delivers a payload that came through a mailbox without a parcel, unless this has ended; as
    /// ``AnyParcel/deliverUnderClaim(to:)``, but a call that was made is left for the caller to count.
    func deliver(_ payload: InlinePayload) -> DeliveryOutcome? {
        HazardRecord.calling(self) { claim() ? call(payload) : nil }
    }

    private func call(_ payload: InlinePayload) -> DeliveryOutcome {
        invoke {
            try payload.withPointer { place in
                try withHandler { (handler: _AnyDeliveryHandler) in try handler.deliver(at: place) }
            }
        }
    }
}

// MARK: - In a task

extension AnyParcel {
    /// Delivers to `observation` in the calling task, unless it has ended.
    func deliverUnderOpenClaim(to observation: Observation) async {
        guard observation.beginOpenClaim() else { return }
        await callAsync(observation)
        observation.endOpenClaim()
    }

    /// Calls the async handler of `observation`, which the caller has claimed.
    func callAsync(_ observation: Observation) async {
        observation.count(await observation.invokeAsync { try work(for: observation.handler) })
    }
}
