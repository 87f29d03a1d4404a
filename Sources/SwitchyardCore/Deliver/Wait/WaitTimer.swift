// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch

/// The time limit of one wait in a task.
///
/// Not a task that sleeps: a task's runtime keeps a cancelled sleep until it would have ended. A
/// program that answers 10,000 requests a second, each within a minute, would have 600,000 of them.
struct WaitTimer {
    private let source: any DispatchSourceTimer

    /// Starts the timer.
    ///
    /// - Parameters:
    ///   - limit: the time from now.
    ///   - fire: called on a thread of Dispatch's pool; must not block.
    init(after limit: Duration, _ fire: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: .global())
        let limit = max(.zero, limit).withinACentury.components
        let nanoseconds = limit.seconds * 1_000_000_000 + limit.attoseconds / 1_000_000_000
        source.setEventHandler(handler: fire)
        source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        source.resume()
    }

    func cancel() { source.cancel() }
}
