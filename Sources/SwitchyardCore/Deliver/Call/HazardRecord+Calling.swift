// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

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
        // A light fence is enough: a canceller that still reads the slot makes a heavy fence, and then looks again.
        record.pointee.words[base].store(0, ordering: .releasing)
        switchyard_light_fence()
        record.pointee.top = base
        if base == 0, record.pointee.outer != nil { HazardRecord.returnToOuter(record) }
        if observation.listensForEnds { observation.deliveryEnded() }
        return result
    }
}
