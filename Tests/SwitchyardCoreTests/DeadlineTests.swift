// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardCore

@Suite("Deadlines of waits", .timeLimit(.minutes(5))) struct DeadlineTests {
    private let start = ContinuousClock.now

    @Test func `The earliest deadline comes first, whatever the order of insertion`() {
        var deadlines = Deadlines()
        let times = (0..<500).map { _ in Int.random(in: 0..<100) }
        for (number, time) in times.enumerated() {
            deadlines.insert(start + .seconds(time), UInt64(number))
        }
        var found: [Int] = []
        while let first = deadlines.first {
            found.append(times[Int(first.number)])
            deadlines.removeFirst()
        }
        #expect(found == times.sorted())
    }

    @Test func `Deadlines that are no longer needed take no memory for long`() {
        var deadlines = Deadlines()
        var largest = 0
        for number in 0..<10_000 as Range<UInt64> {
            deadlines.insert(start + .seconds(Int(number % 97)), number)
            // One in a hundred is still needed.
            deadlines.tidy(keeping: Int(number / 100) + 1) { $0 % 100 == 0 }
            largest = max(largest, deadlines.count)
        }
        #expect(largest <= 256)
        var last = start
        while let first = deadlines.first {
            #expect(first.deadline >= last)
            last = first.deadline
            deadlines.removeFirst()
        }
    }

    @Test(.rule(12)) func `Timers fire in the order of their limits, and not once cancelled`() async
    {
        let fired = Log<Int>()
        let cancelled = WaitTimer(after: .milliseconds(2)) { fired.add(0) }
        cancelled.cancel()
        let later = WaitTimer(after: .milliseconds(60)) { fired.add(2) }
        let sooner = WaitTimer(after: .milliseconds(1)) { fired.add(1) }
        _ = WaitTimer(after: .zero) { fired.add(3) }
        let never = WaitTimer(after: .seconds(Int64.max)) { fired.add(4) }
        #expect(Set(await fired.arrival(of: 3)) == [1, 2, 3])
        for timer in [later, sooner, never] { timer.cancel() }
    }
}
