// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// Something that happened in a situation.
struct TourEvent: Sendable, Encodable {
    let what: String
    /// The thread or queue on which it happened.
    let thread: String
    /// Its place among all that happened, from 1.
    let order: Int
}

/// Writes down what happens, on whatever thread.
final class TourRecorder: Sendable {
    private let recorded = Mutex<[TourEvent]>([])
    /// Raised once for each event.
    private let changed = DispatchSemaphore(value: 0)

    /// What happened so far.
    var events: [TourEvent] { recorded.withLock { $0 } }

    /// Notes that `what` happens here and now.
    func record(_ what: String) {
        let thread = ThreadName.current
        recorded.withLock { events in
            events.append(TourEvent(what: what, thread: thread, order: events.count + 1))
        }
        changed.signal()
    }

    /// Waits until so much has happened; false when it has not by the deadline.
    func wait(forEvents count: Int, until deadline: DispatchTime) -> Bool {
        while recorded.withLock({ $0.count }) < count {
            if changed.wait(timeout: deadline) == .timedOut { return false }
        }
        return true
    }
}
