// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// A clock whose time passes when a test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let search = SearchField(clock: clock)           // waits 300 ms after the last keystroke
/// await search.type("a")
/// try await clock.waitForSleepers()                // it sleeps now
/// clock.advance(by: .milliseconds(299))
/// #expect(clock.sleepers == 1)                     // it still does
/// try await center.expect(SearchStarted.self) { clock.advance(by: .milliseconds(1)) }
/// ```
/// Nothing here polls or waits for real time, but the limit of ``waitForSleepers(_:within:)``.
public final class ManualClock: Clock {
    /// A moment: so long after the clock was made.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// What lies between two moments.
        public typealias Duration = Swift.Duration

        /// The time since the clock was made.
        public let offset: Swift.Duration

        /// The moment so long after the clock was made.
        public init(offset: Swift.Duration) { self.offset = offset }

        /// The moment so much later.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        /// Whether `left` is the earlier one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        /// The time since the clock was made.
        public var description: String { offset.description }
    }

    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: Continuation
    }

    private struct State {
        var now: Instant
        /// The earliest deadline first; of equal ones, the one who came first.
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0

        mutating func insert(_ sleeper: Sleeper) {
            let index = sleepers.firstIndex { $0.deadline > sleeper.deadline }
            sleepers.insert(sleeper, at: index ?? sleepers.count)
        }

        /// Moves time forward; those whose time has come.
        mutating func advance(to instant: Instant) -> [Continuation] {
            now = max(now, instant)
            let moment = now
            let due = sleepers.prefix { $0.deadline <= moment }.map(\.continuation)
            sleepers.removeFirst(due.count)
            return due
        }
    }

    private let state: Guarded<State>
    /// How many sleep, for those who wait for it.
    private let tally = Tally()

    /// A clock that stands still.
    ///
    /// - Parameter now: its first moment.
    public init(now: Instant = Instant(offset: .zero)) { state = Guarded(State(now: now)) }

    /// The moment that was last advanced to.
    public var now: Instant { state.withLock(\.now) }

    /// One nanosecond: any duration can be waited for.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep.
    public var sleepers: Int { state.withLock(\.sleepers.count) }

    /// When the first of them wakes; nil when nobody sleeps.
    public var nextDeadline: Instant? { state.withLock(\.sleepers.first?.deadline) }

    /// Sleeps until the clock has been advanced to `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: when to wake.
    ///   - tolerance: without effect.
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let hasSlept = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Continuation) in
                lieDown(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            rouse(id)
        }
        if !hasSlept { throw CancellationError() }
    }

    private func lieDown(_ sleeper: Sleeper) {
        let outcome = state.withLock { state -> Bool? in
            // Asked under the lock: a cancellation that comes later finds the sleeper.
            if Task.isCancelled { return false }
            if sleeper.deadline <= state.now { return true }
            state.insert(sleeper)
            return nil
        }
        if let outcome {
            sleeper.continuation.resume(returning: outcome)
        } else {
            tally.add(1)
        }
    }

    /// Ends the sleep of a task that was cancelled.
    private func rouse(_ id: UInt64) {
        let continuation = state.withLock { state -> Continuation? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index).continuation
        }
        guard let continuation else { return }
        tally.add(-1)
        continuation.resume(returning: false)
    }

    private func wake(_ due: [Continuation]) {
        tally.add(-due.count)
        for continuation in due { continuation.resume(returning: true) }
    }
}

// MARK: - Time passes

extension ManualClock {
    /// Lets so much time pass; see ``advance(to:)``.
    ///
    /// - Precondition: `duration` is not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a clock does not go backwards: \(duration)")
        wake(state.withLock { $0.advance(to: $0.now.advanced(by: duration)) })
    }

    /// Lets time pass until `instant`. Those whose deadline has come are woken in the order of their
    /// deadlines, of equal ones in the order in which they went to sleep.
    ///
    /// They are woken, not waited for: what they do then, they do on their own executors, and all of
    /// them see the new time. A task that sleeps again and again (a timer) wakes once; advance
    /// step by step, with ``advanceToNextDeadline()`` and ``waitForSleepers(_:within:)``, to see each
    /// turn.
    ///
    /// - Precondition: `instant` is not earlier than ``now``.
    public func advance(to instant: Instant) {
        let (isPast, due) = state.withLock { state in
            (instant < state.now, state.advance(to: instant))
        }
        precondition(!isPast, "a clock does not go backwards: \(instant) is earlier than now")
        wake(due)
    }

    /// Lets time pass until the earliest deadline, and wakes those who sleep until then.
    ///
    /// - Returns: The new time; nil when nobody sleeps.
    @discardableResult
    public func advanceToNextDeadline() -> Instant? {
        let (now, due) = state.withLock { state -> (Instant?, [Continuation]) in
            guard let deadline = state.sleepers.first?.deadline else { return (nil, []) }
            return (deadline, state.advance(to: deadline))
        }
        wake(due)
        return now
    }

    /// Waits until so many tasks sleep on this clock: then the code under test has got to where time
    /// may pass.
    ///
    /// - Parameters:
    ///   - count: how many at least.
    ///   - limit: how long to wait for them at most, in real time: only a test that fails waits so
    ///     long.
    /// - Throws: ``ExpectationFailure`` after `limit`; `CancellationError` when the task is cancelled.
    public func waitForSleepers(
        _ count: Int = 1, within limit: Duration = .seconds(60)
    ) async throws {
        if try await tally.wait(for: count, within: limit, on: ContinuousClock()) { return }
        throw ExpectationFailure(
            .timedOut,
            "\(sleepers) of \(count) tasks sleep on the manual clock after \(limit): does the code "
                + "under test sleep on this clock, and was it started?")
    }
}
