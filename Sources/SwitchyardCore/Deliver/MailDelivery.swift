// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// MARK: - On a thread

extension AnyParcel {
    /// Delivers to `observation` on the calling thread, unless it has ended: the last step of what
    /// came through a mailbox.
    func deliverUnderClaim(to observation: Observation) {
        let record = ThreadRecord.current(roomFor: 1)
        let base = record.pointee.top
        record.pointee.top = base + 1
        // An exchange, so that whoever cancels needs no heavy fence to see it.
        _ = record.pointee.words[base].exchange(
            observation.address, ordering: .sequentiallyConsistent)
        if observation.claim() { call(observation) }
        _ = record.pointee.words[base].exchange(0, ordering: .sequentiallyConsistent)
        record.pointee.top = base
        if base == 0, record.pointee.outer != nil { ThreadRecord.returnToOuter(record) }
        if observation.hasUnreleasedHandler { observation.releaseHandlerIfIdle() }
    }

    /// Calls the handler of `observation`, which the caller has claimed.
    func call(_ observation: Observation) {
        do {
            count(try deliver(to: observation.handler), observation)
        } catch {
            count(error, observation)
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
        do {
            let work = try work(for: observation.handler)
            count(try await HandlerTask.inside(observation, work), observation)
        } catch {
            count(error, observation)
        }
    }
}

// MARK: - Counting

extension AnyParcel {
    private func count(_ outcome: DeliveryOutcome, _ observation: Observation) {
        switch outcome {
        case .delivered, .queued: observation.countDelivery()
        case .expired: center.expire(observation)
        case .watched: break
        }
    }

    private func count(_ error: any Error, _ observation: Observation) {
        if center.report(error, in: observation) { observation.countDelivery() }
    }
}
