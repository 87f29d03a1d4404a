// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Testing

@testable import SwitchyardInspection

@Suite("Times of traces") struct TraceTimesTests {
    private static let second: UInt64 = 1_000_000_000

    /// Times by readings of a counter that ticks three times a nanosecond, at these nanoseconds.
    private func times(_ readings: (ticks: UInt64, nanoseconds: UInt64)...) -> TraceTimes {
        var times = TraceTimes()
        for reading in readings {
            times.add(.init(ticks: reading.ticks * 3, nanoseconds: reading.nanoseconds))
        }
        return times
    }

    @Test func `A wrong reading at the beginning does not make the rate`() {
        let second = Self.second
        // The second reading was held up between its clocks: the rate is half of the right one.
        let times = times(
            (0, 0), (second / 10, second / 20), (second, second), (2 * second, 2 * second),
            (3 * second, 3 * second), (4 * second, 4 * second))
        #expect(abs(times.span(3000) - 1000) < 60)
        #expect(times.time(12 * second) == 4 * second)
        #expect(abs(Int64(times.time(9 * second)) - Int64(3 * second)) < Int64(second / 10))
    }

    @Test func `Two suspensions one after the other do not make the rate`() {
        let (second, minute) = (Self.second, 60 * Self.second)
        let times = times(
            (0, 0), (second, second), (2 * second, 2 * second + minute),
            (3 * second, 3 * second + 2 * minute), (4 * second, 4 * second + 2 * minute))
        #expect(abs(times.span(3000) - 1000) < 1)
    }
}
