// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Registry {
    /// The live observations, in order of registration.
    var observations: [Observation] {
        var found: [Observation] = []
        state.withLock { _ in
            for bucket in table._withUnsafeGuaranteedRef(\.buckets) {
                guard let list = bucket.list.map({ ObservationListView($0) }) else { continue }
                for index in 0..<list.count {
                    let observation = list[index].takeUnretainedValue()
                    if !observation.isCancelled { found.append(observation) }
                }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }
    }
}

extension CenterSnapshot.Entry {
    init(_ observation: Observation) {
        let bucket = observation.bucket
        topic = bucket.topic.description
        object = bucket.subject.description + (bucket.pin.isGone ? " (dead)" : "")
        context = observation.mailbox?.label ?? "the posting thread"
        origin = observation.origin
        sequence = observation.sequence
        options = observation.options
        isInFlight = observation.isInFlight
        delivered = observation.delivered.load(ordering: .relaxed)
        lost = observation.lost.load(ordering: .relaxed)
        queueDepth = observation.mailbox?.depth ?? 0
    }
}
