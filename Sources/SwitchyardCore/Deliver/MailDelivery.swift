// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension AnyParcel {
    /// Delivers to `observation` on the calling thread, unless it has ended: the last step of what
    /// came through a mailbox.
    func deliver(to observation: Observation) {
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

    private func call(_ observation: Observation) {
        do {
            switch try deliver(to: observation.handler) {
            case .delivered, .queued: observation.countDelivery()
            case .expired: center.expire(observation)
            case .watched: break
            }
        } catch {
            if center.report(error, in: observation) { observation.countDelivery() }
        }
    }
}
