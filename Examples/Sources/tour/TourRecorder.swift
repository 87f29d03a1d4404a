// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization
internal import ThreadNames

/// An event in a situation.
struct TourEvent: Sendable, Encodable {
    let what: String
    /// The thread or queue of the event.
    let thread: String
    /// The event's number in the situation, from 1.
    let order: Int
}

/// A recorder of events on any thread.
final class TourRecorder: Sendable {
    private let recorded = Mutex<[TourEvent]>([])
    /// Signalled once for each event.
    private let changed = DispatchSemaphore(value: 0)

    /// The events so far.
    var events: [TourEvent] { recorded.withLock { $0 } }

    /// Records the event `what` on the calling thread.
    func record(_ what: String) {
        let thread = ThreadName.current
        recorded.withLock { events in
            events.append(TourEvent(what: what, thread: thread, order: events.count + 1))
        }
        changed.signal()
    }

    /// Waits until `count` events have come. Returns false if they have not by the deadline.
    func wait(forEvents count: Int, until deadline: DispatchTime) -> Bool {
        while recorded.withLock({ $0.count }) < count {
            if changed.wait(timeout: deadline) == .timedOut { return false }
        }
        return true
    }
}
