// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// A clock whose time passes only when a test advances it.
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
/// The clock never polls, and nothing waits for real time except the limit of
/// ``waitForSleepers(_:within:)``.
public final class ManualClock: Clock {
    /// A moment: an offset from the clock's start.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The difference between two moments.
        public typealias Duration = Swift.Duration

        /// The time since the clock was made.
        public let offset: Swift.Duration

        /// Creates the moment that is `offset` after the clock was made.
        public init(offset: Swift.Duration) { self.offset = offset }

        /// Returns the moment that is `duration` later.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns how much later `other` is.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        /// Returns whether `left` is earlier than `right`.
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
        /// The sleeping tasks, by deadline; of equal deadlines, the first to sleep comes first.
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0

        mutating func insert(_ sleeper: Sleeper) {
            let index = sleepers.firstIndex { $0.deadline > sleeper.deadline }
            sleepers.insert(sleeper, at: index ?? sleepers.count)
        }

        /// Moves time forward. Removes and returns the sleepers whose deadline has come.
        mutating func advance(to instant: Instant) -> [Continuation] {
            now = max(now, instant)
            let moment = now
            let due = sleepers.prefix { $0.deadline <= moment }.map(\.continuation)
            sleepers.removeFirst(due.count)
            return due
        }
    }

    private let state: Guarded<State>
    /// The number of sleeping tasks, in a form that tasks can wait for.
    private let tally = Tally()

    /// Creates a clock that stands still.
    ///
    /// - Parameter now: the clock's first moment.
    public init(now: Instant = Instant(offset: .zero)) { state = Guarded(State(now: now)) }

    /// The moment to which the clock was last advanced.
    public var now: Instant { state.withLock(\.now) }

    /// One nanosecond: the clock can wait for any duration.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep on this clock.
    public var sleepers: Int { state.withLock(\.sleepers.count) }

    /// The earliest deadline of a sleeping task; nil when no task sleeps.
    public var nextDeadline: Instant? { state.withLock(\.sleepers.first?.deadline) }

    /// Sleeps until the clock has been advanced to `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: the moment at which to wake.
    ///   - tolerance: ignored.
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
            // Checked under the lock, so that a later cancellation finds the sleeper in the list.
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

    /// Wakes a task that was cancelled while it slept.
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

// MARK: - Advancing time

extension ManualClock {
    /// Advances the clock by `duration`; see ``advance(to:)``.
    ///
    /// - Precondition: `duration` is not negative.
    public func advance(by duration: Duration) {
        Misuse.unless(duration >= .zero, "a clock does not go backwards: \(duration)")
        wake(state.withLock { $0.advance(to: $0.now.advanced(by: duration)) })
    }

    /// Advances the clock to `instant`. Tasks whose deadline has come are woken in the order of
    /// their deadlines; of equal deadlines, the first to sleep is woken first.
    ///
    /// `advance` wakes the tasks but does not wait for them: they go on on their own executors, and
    /// all of them see the new time. A task that sleeps again and again (a timer) wakes once. To
    /// see each of its turns, advance step by step, with ``advanceToNextDeadline()`` and
    /// ``waitForSleepers(_:within:)``.
    ///
    /// - Precondition: `instant` is not earlier than ``now``.
    public func advance(to instant: Instant) {
        let (isPast, due) = state.withLock { state in
            (instant < state.now, state.advance(to: instant))
        }
        Misuse.unless(!isPast, "a clock does not go backwards: \(instant) is earlier than now")
        wake(due)
    }

    /// Advances the clock to the earliest deadline, and wakes the tasks that sleep until then.
    ///
    /// - Returns: The new time; nil when no task sleeps.
    @discardableResult
    public func advanceToNextDeadline() -> Instant? {
        let (now, due) = state.withLock { state -> (Instant?, [Continuation]) in
            guard let deadline = state.sleepers.first?.deadline else { return (nil, []) }
            return (deadline, state.advance(to: deadline))
        }
        wake(due)
        return now
    }

    /// Waits until `count` tasks sleep on this clock. The code under test is then ready for time to
    /// pass.
    ///
    /// - Parameters:
    ///   - count: the least number of sleeping tasks.
    ///   - limit: the longest time to wait for them, in real time. Only a test that fails waits so
    ///     long.
    /// - Throws: ``ExpectationFailure`` after `limit`; `CancellationError` when the task is
    ///   cancelled.
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
