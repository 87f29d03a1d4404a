// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardCore

@Suite("Time limits of waits", .timeLimit(.minutes(5))) struct WaitLimitTests {
    private let start = ContinuousClock.now

    private func time(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Ends all looks, each at its time, and returns the values in the order in which they came.
    private func takeAll(
        _ schedule: inout LimitSchedule<Int>, _ looks: [ContinuousClock.Instant]
    ) -> [Int] {
        var (looks, found) = (looks.sorted(), [Int]())
        while !looks.isEmpty {
            let look = looks.removeFirst()
            let (values, next) = schedule.takeDue(at: look, after: look)
            found += values
            if let next { looks.append(next) }
            looks.sort()
        }
        return found
    }

    @Test func `Values come in the order of their deadlines, whatever the order of insertion`() {
        var schedule = LimitSchedule<Int>()
        let times = (0..<500).map { _ in Int.random(in: 0..<100) }
        let looks = times.compactMap { schedule.add($0, at: time($0)).look }
        #expect(takeAll(&schedule, looks) == times.sorted())
        #expect(schedule.deadlineCount == 0)
        #expect(schedule.lookCount == 0)
    }

    @Test func `Every value that is not removed comes at its deadline, by few looks`() {
        var schedule = LimitSchedule<Int>()
        var looks: [ContinuousClock.Instant] = []
        var kept: [Int] = []
        for round in 0..<2_000 {
            let seconds = [1, 5, 60, 3_600][round % 4]
            let (number, look) = schedule.add(round + seconds, at: time(round + seconds))
            if let look { looks.append(look) }
            if round % 10 == 3 { kept.append(round + seconds) } else { _ = schedule.remove(number) }
            // The looks whose time has come.
            while let due = looks.filter({ $0 <= time(round) }).min() {
                looks.remove(at: looks.firstIndex(of: due) ?? 0)
                let (values, next) = schedule.takeDue(at: time(round), after: due)
                for value in values {
                    #expect(value == kept.min())
                    kept.remove(at: kept.firstIndex(of: value) ?? 0)
                }
                if let next { looks.append(next) }
            }
            #expect(looks.count <= 4)
        }
        #expect(takeAll(&schedule, looks) == kept.sorted())
        #expect(schedule.lookCount == 0)
    }

    @Test func `Deadlines of removed values take no memory for long`() {
        var schedule = LimitSchedule<Int>()
        var (largest, looks) = (0, 0)
        for round in 0..<10_000 {
            let (number, look) = schedule.add(round, at: time(60 + round % 97))
            looks += look == nil ? 0 : 1
            if round % 100 != 0 { #expect(schedule.remove(number) == round) }
            largest = max(largest, schedule.deadlineCount)
        }
        #expect(largest <= 256)
        #expect(looks == 1)
    }

    @Test(.rule(12)) func `A limit calls its function once, unless it was cancelled before`() async
    {
        let fired = Log<Int>()
        let cancelled = WaitLimit(after: .seconds(3_600)) { fired.add(0) }
        cancelled.cancel()
        let later = WaitLimit(after: .milliseconds(60)) { fired.add(2) }
        let sooner = WaitLimit(after: .milliseconds(1)) { fired.add(1) }
        _ = WaitLimit(after: .zero) { fired.add(3) }
        let never = WaitLimit(after: .seconds(Int64.max)) { fired.add(4) }
        #expect(Set(await fired.arrival(of: 3)) == [1, 2, 3])
        for limit in [later, sooner, never] { limit.cancel() }
    }

    /// The resources of a wait go with the wait, not at its limit.
    @Test func `A cancelled limit keeps nothing of its function`() {
        final class Resource: Sendable {}
        weak var resource: Resource?
        do {
            let made = Resource()
            resource = made
            let limit = WaitLimit(after: .seconds(3_600)) { withExtendedLifetime(made) {} }
            #expect(resource != nil)
            limit.cancel()
        }
        #expect(resource == nil)
    }
}
