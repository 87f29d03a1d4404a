// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The times that deliveries waited in mailboxes and that handlers ran, as a recording has them,
/// and the topics that nobody heard.
package struct DeliveryTimes {
    private struct Delivery: Hashable {
        let post: UInt64
        let observation: UInt64
    }

    /// The times, by the ids of the registrations. Of observations that had an id in turn, those of
    /// the last.
    package private(set) var times: [UInt64: Times] = [:]
    /// The number of posts that nobody heard, by topic.
    package private(set) var unheard: [String: Int] = [:]
    /// The registrations in the recording.
    package let registrations: TraceRegistrations
    /// The ids that more than one observation had in turn.
    package let reusedIDs: Set<UInt64>

    /// - Parameters:
    ///   - main: the number of the main thread, which is that of the process.
    ///   - names: the topics by their numbers; those of the recording are known anyway.
    package init(_ recording: TraceRecording, main: Int32? = nil, names: [UInt64: String] = [:]) {
        let clock = recording.clock
        (registrations, reusedIDs) = (recording.registrations, recording.reusedIDs)
        var queued: [Delivery: UInt64] = [:]
        for event in recording.threads.joinedEvents
        where event.kind == .queued || event.kind == .due {
            let delivery = Delivery(post: event.post, observation: event.subject)
            queued[delivery] = max(event.ticks, queued[delivery] ?? 0)
        }
        var topics: [UInt64: (topic: UInt64, weight: Int)] = [:]
        for (thread, event) in recording.threads.joinedNumberedEvents {
            switch event.kind {
            case .posted:
                topics[event.post] = (event.subject, Int(event.weight))
            case .unheard:
                guard let post = topics[event.post],
                    let topic = recording.topics[post.topic] ?? names[post.topic]
                else {
                    continue
                }
                if post.weight > 0 { unheard[topic, default: 0] += post.weight }
            case .called, .delivered:
                guard registrations.isOfLast(event.subject, at: event.ticks) else {
                    continue
                }
                let took = clock.span(detail: event.detail) / 1e9
                let delivery = Delivery(post: event.post, observation: event.subject)
                var waited: Double?
                // A handler that ran for longer than the detail can say leaves the wait unknown.
                if event.kind == .delivered, event.detail != .max, let since = queued[delivery] {
                    let inAll = clock.span(event.ticks &- min(since, event.ticks)) / 1e9
                    waited = max(0, inAll - took)
                }
                times[event.subject, default: Times()].add(
                    took: took, waited: waited, end: clock.time(event.ticks),
                    isInlineOnMain: event.kind == .called && thread == main)
            default:
                continue
            }
        }
    }
}

extension [TraceRecording.Thread] {
    /// The events of all threads, those of each in their order.
    fileprivate var joinedEvents: some Sequence<TraceEvent> { lazy.flatMap(\.events) }

    /// The events of all threads, each with the number of its thread, those of each thread in their
    /// order.
    fileprivate var joinedNumberedEvents: some Sequence<(Int32, TraceEvent)> {
        lazy.flatMap { thread in thread.events.lazy.map { (thread.number, $0) } }
    }
}
