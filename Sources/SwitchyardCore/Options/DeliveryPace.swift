// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The highest rate at which an observer hears, whatever is posted.
///
/// ```swift
/// center.observe(TextChanged.self, on: .main, options: .paced(.debounce(.milliseconds(300)))) { … }
/// ```
/// A newer post replaces the delivery that waits, so the observer hears the latest. A delayed
/// delivery runs on the observer's context. With `.poster` the posting thread is gone by then, so
/// it runs on a thread of the task pool. A delivery that waits has a timer, which takes some hundred
/// bytes until its time comes, also if the observation ends before.
public struct DeliveryPace: Sendable {
    /// The fate of a delayed delivery when its observation is cancelled.
    public enum Cancellation: Sendable {
        /// The delivery is not made.
        case drop
        /// The delivery is made, on the observer's context, as if it had started before the
        /// cancellation: the last one, whether it was put off, or waits in the context's mailbox or
        /// for the end of a pause. Earlier ones in the mailbox are dropped. It may overtake
        /// deliveries that wait: where the observation is cancelled on the observer's own thread by
        /// a call that waits, the delivery is made there and then, and a bound does not hold it
        /// back.
        case flush
    }

    enum Rule: Sendable {
        case debounce
        case throttle(latest: Bool)
    }

    let rule: Rule
    let interval: Duration
    let atCancel: Cancellation
    let clock: PaceClock

    /// One delivery when nothing was posted for `interval`: the latest.
    ///
    /// - Parameters:
    ///   - interval: the time without a post.
    ///   - clock: the clock that measures it. If it can't sleep, deliveries are made early.
    ///   - atCancel: whether the one that waits is made when the observation is cancelled.
    public static func debounce(
        _ interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
        atCancel: Cancellation = .drop
    ) -> DeliveryPace {
        DeliveryPace(
            rule: .debounce, interval: interval.withinACentury, atCancel: atCancel,
            clock: PaceClock(clock))
    }

    /// The first delivery at once, then one every `interval` at most.
    ///
    /// - Parameters:
    ///   - interval: the time after a delivery until the next may come.
    ///   - latest: whether a later post replaces the waiting one; otherwise the first one stays.
    ///   - clock: the clock that measures it. If it can't sleep, deliveries are made early.
    ///   - atCancel: whether the one that waits is made when the observation is cancelled.
    public static func throttle(
        _ interval: Duration, latest: Bool = true,
        clock: some Clock<Duration> = ContinuousClock(), atCancel: Cancellation = .drop
    ) -> DeliveryPace {
        DeliveryPace(
            rule: .throttle(latest: latest), interval: interval.withinACentury, atCancel: atCancel,
            clock: PaceClock(clock))
    }
}

/// A clock of any type. Its time is counted from the creation of the value.
struct PaceClock: Sendable {
    let now: @Sendable () -> Duration
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
