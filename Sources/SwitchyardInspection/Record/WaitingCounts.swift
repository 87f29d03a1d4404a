// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The numbers of deliveries that wait for the contexts of a process, over the time of a recording.
///
/// A delivery counts for as many posts as the traced one stands for. One that came into its mailbox
/// before the recording began is not known, and counts for nothing; one that a pace puts off counts
/// from its time on. One whose end is not known goes on counting: the event was overwritten, or another member of a group
/// has got the delivery.
struct WaitingCounts {
    /// The number from a time on, in the ticks of the recording.
    struct Change: Equatable {
        let time: UInt64
        let count: Int
    }

    private struct Delivery: Hashable {
        let post: UInt64
        let observation: UInt64
    }

    /// A delivery that came into a mailbox, or left it.
    private struct Step {
        let time: UInt64
        let context: String
        let by: Int
    }

    /// The changes of each context, by its name, in the order of their times.
    private(set) var changes: [(context: String, changes: [Change])] = []

    /// - Parameter context: the name of the context of the observation that had an id at a time, in
    ///   ticks; nil if it is not known.
    init(
        _ recording: TraceRecording, context: (_ observation: UInt64, _ ticks: UInt64) -> String?
    ) {
        var steps = Self.steps(recording, context)
        // At one time, a delivery that comes counts before one that goes.
        steps.sort { ($0.time, $1.by) < ($1.time, $0.by) }
        for (context, steps) in Dictionary(grouping: steps, by: \.context) {
            changes.append((context, Self.changes(steps)))
        }
        changes.sort { $0.context < $1.context }
    }

    private static func steps(
        _ recording: TraceRecording, _ context: (UInt64, UInt64) -> String?
    ) -> [Step] {
        let events = recording.threads.lazy.flatMap(\.events)
        var weights: [UInt64: Int] = [:]
        for event in events where event.kind == .posted {
            weights[event.post] = Int(event.weight)
        }
        var waiting: [Delivery: (context: String, weight: Int)] = [:]
        var steps: [Step] = []
        // A delivery that a pause keeps is in the mailbox before it is due.
        for kind in [TraceEvent.Kind.queued, .due] {
            for event in events where event.kind == kind {
                let delivery = Delivery(post: event.post, observation: event.subject)
                guard waiting[delivery] == nil, let context = context(event.subject, event.ticks),
                    let weight = weights[event.post], weight > 0
                else { continue }
                waiting[delivery] = (context, weight)
                steps.append(Step(time: event.ticks, context: context, by: weight))
            }
        }
        for event in events {
            guard let end = end(of: event),
                let (context, weight) = waiting.removeValue(
                    forKey: Delivery(post: event.post, observation: event.subject))
            else { continue }
            steps.append(Step(time: end, context: context, by: -weight))
        }
        return steps
    }

    /// The time at which a delivery ceased to wait, if the event says that it did.
    private static func end(of event: TraceEvent) -> UInt64? {
        switch event.kind {
        case .delivered:
            event.ticks - min(event.ticks, UInt64(event.detail) * TraceClock.ticksOfDetail)
        case .replaced, .undeliverable, .expired, .cancelled:
            event.ticks
        default:
            nil
        }
    }

    private static func changes(_ steps: [Step]) -> [Change] {
        var changes: [Change] = []
        var count = 0
        for step in steps {
            count += step.by
            let change = Change(time: step.time, count: max(count, 0))
            if changes.last?.time == step.time { changes.removeLast() }
            changes.append(change)
        }
        return changes
    }
}
