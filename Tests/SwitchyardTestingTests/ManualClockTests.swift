// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Manual clock", .timeLimit(.minutes(5))) struct ManualClockTests {
    /// An executor that runs its jobs one after the other, in order.
    final class InOrder: TaskExecutor {
        private let queue = DispatchQueue(label: "in order")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    let clock = ManualClock()

    @Test func `Time stands still until it is advanced`() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(1))
        clock.advance(by: .zero)
        clock.advance(to: ManualClock.Instant(offset: .milliseconds(1500)))
        #expect(clock.now.offset == .milliseconds(1500))
        #expect(ManualClock(now: clock.now).now == clock.now)
        #expect(clock.now.duration(to: clock.now.advanced(by: .seconds(2))) == .seconds(2))
    }

    @Test
    func
        `Sleepers wake in the order of their deadlines, and then of their coming`()
        async throws
    {
        let (clock, log, executor) = (clock, Log<String>(), InOrder())
        var tasks: [Task<Void, any Error>] = []
        for (name, seconds) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)] {
            let task = Task(executorPreference: executor) {
                try await clock.sleep(for: .seconds(seconds))
                log.add(name)
            }
            tasks.append(task)
            try await clock.waitForSleepers(tasks.count)
        }
        // The last task is among the sleepers a moment before it has given up its thread.
        await Task(executorPreference: executor) {}.value
        #expect(clock.nextDeadline?.offset == .seconds(1))
        clock.advance(by: .seconds(10))
        for task in tasks { try await task.value }
        #expect(log.entries == ["a", "b1", "b2", "c"])
    }

    @Test func `No sleeper wakes early, and a deadline that has passed is no sleep`() async throws {
        let clock = clock
        let task = Task { try await clock.sleep(for: .seconds(2)) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(clock.sleepers == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(clock.sleepers == 0)
        try await task.value
        try await clock.sleep(until: clock.now)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func `Cancellation ends a sleep at once, also one that had not begun`() async throws {
        let clock = clock
        let task = Task { try await clock.sleep(for: .seconds(2)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
        #expect(clock.advanceToNextDeadline() == nil)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(2))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func `Step by step, a timer is seen at each turn`() async throws {
        let (clock, center) = (clock, NotificationCenter())
        let timer = Task {
            while !Task.isCancelled {
                try await clock.sleep(for: .seconds(1))
                center.post(ConverterAdded(format: clock.now.description))
            }
        }
        for second in 1...3 {
            try await clock.waitForSleepers()
            let message = try await center.expect(ConverterAdded.self, within: patience) {
                #expect(clock.advanceToNextDeadline()?.offset == .seconds(second))
            }
            #expect(message.format == "\(second).0 seconds")
        }
        timer.cancel()
    }

    @Test func `Tasks that wait for sleepers are woken by the last sleeper, and can be cancelled`()
        async throws
    {
        let clock = clock
        let waiting = Task { try await clock.waitForSleepers(2) }
        let sleepers = (1...2).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        try await waiting.value
        let cancelled = Task { try await clock.waitForSleepers(3) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
    }

    @Test func `Sleepers that do not come are a failure that says so`() async throws {
        let failure = try #require(
            await failure { try await clock.waitForSleepers(2, within: .milliseconds(1)) })
        #expect(failure.description.contains("0 of 2 tasks sleep on the manual clock"))
    }

    @Test func `A clock does not go backwards`() async {
        await #expect(processExitsWith: .failure) { ManualClock().advance(by: .seconds(-1)) }
        await #expect(processExitsWith: .failure) {
            let clock = ManualClock()
            clock.advance(by: .seconds(1))
            clock.advance(to: ManualClock.Instant(offset: .zero))
        }
    }
}
